"""An audit as tables for people: counts, not adjectives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.audit.claims import Checked
from pipeline.audit.floors import Floor
from pipeline.audit.identity import Identity
from pipeline.audit.probe import Finding
from pipeline.audit.run import Audit
from pipeline.audit.shortcuts import Association, Hits
from pipeline.audit.significance import ALPHA

_SHOWN_ROWS = 6


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title, and lines that stand below it."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    notes: Sequence[str] = ()


def tables(audit: Audit) -> Iterator[Table]:
    """Yield the tables of every section that was asked for."""
    if audit.claims is not None:
        yield _claims(audit.claims)
    if audit.hits is not None:
        yield _rules(audit.hits)
        yield from _associations(audit.associations or ())
        yield _probe(audit.findings or ())
    if audit.floors is not None:
        yield _floors(audit.floors)
    if audit.identity is not None:
        yield _identity(audit.identity)


def _claims(claims: Sequence[Checked]) -> Table:
    rows = [
        (
            claim.name,
            "holds" if not claim.breaks else "BROKEN" if claim.binding else "reported",
            claim.rows,
            len(claim.broken_rows),
            len(claim.breaks),
            _listed(claim.broken_rows),
        )
        for claim in claims
    ]
    broken = sum(bool(claim.breaks) and claim.binding for claim in claims)
    first = [f"{claim.name}: {claim.statement} {row}: {text}" for claim in claims for row, text in claim.breaks[:1]]
    title = f"Claims: {len(claims)} checked on every row, {broken} broken"
    return Table(title, ("claim", "result", "checked", "broken by", "breaks", "rows"), rows, first)


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN_ROWS
    return " ".join(names[:_SHOWN_ROWS]) + (f" and {rest} more" if rest > 0 else "")


def _rules(hits: Sequence[Hits]) -> Table:
    """One line a rule and kind with a column a pool, and a line for all kinds of a rule that has several."""
    names = list(dict.fromkeys(one.pool for one in hits))
    rows: list[Sequence[object]] = []
    by_rule: dict[str, list[Hits]] = {}
    for one in hits:
        by_rule.setdefault(one.rule.name, []).append(one)
    for name, its_hits in by_rule.items():
        kinds = list(dict.fromkeys(one.kind for one in its_hits))
        nature = its_hits[0].rule.nature
        if len(kinds) > 1:
            cells = [_cell([one for one in its_hits if one.pool == pool]) for pool in names]
            rows.append((name, nature, "all", *cells, "", ""))
        for kind in kinds:
            of_kind = [one for one in its_hits if one.kind == kind]
            cells = [_cell([one for one in of_kind if one.pool == pool]) for pool in names]
            p = min(one.adjusted for one in of_kind)
            rows.append((name, nature, kind, *cells, f"{p:.2g}", "yes" if any(one.better for one in of_kind) else "no"))
    notes = [f"{one[0].rule.name}: {one[0].rule.why}" for one in by_rule.values()]
    title = (
        f"Shortcuts: true positives of planted, false positives of not planted; better than the base rate by an exact "
        f"one-sided test at {ALPHA} after Holm's correction over {len(hits)} tests"
    )
    return Table(title, ("rule", "nature", "kind", *names, "smallest p", "better"), rows, notes)


def _cell(hits: Sequence[Hits]) -> str:
    true, planted = sum(one.hits for one in hits), sum(one.planted for one in hits)
    false, absent = sum(one.false for one in hits), sum(one.absent for one in hits)
    return f"{true}/{planted}, {false}/{absent}"


def _associations(associations: Sequence[Association]) -> Iterator[Table]:
    if associations:
        rows = [
            (
                one.effect.name,
                one.pool,
                one.stratum,
                one.rows,
                f"{one.right / one.rows:.0%}",
                f"{one.base / one.rows:.0%}",
            )
            for one in associations
        ]
        notes = list(dict.fromkeys(f"{one.effect.name}: {one.effect.why}" for one in associations))
        title = "Side effects: right guesses, fitted to these rows, against the most frequent value"
        yield Table(title, ("side effect", "splits", "part", "rows", "right", "base"), rows, notes)


def _probe(findings: Sequence[Finding]) -> Table:
    rows = [
        (
            one.kind,
            one.pool,
            one.stratum,
            one.asked,
            one.planted,
            f"{one.reached:.3f}",
            f"{one.shuffled:.3f}",
            f"{one.p:.4f}",
            f"{one.adjusted:.4f}",
            "yes" if one.found else "no",
            "; ".join(one.strongest),
        )
        for one in findings
    ]
    found = sum(one.found for one in findings)
    title = (
        f"Probe: {found} of {len(findings)} found from form alone, at {ALPHA} after Holm's correction over all of them"
    )
    header = ("kind", "splits", "part", "asked", "planted", "area", "shuffled", "p", "adjusted", "found", "by")
    return Table(title, header, rows)


def _floors(floors: Sequence[Floor]) -> Table:
    rows = [
        (
            f"{one.split} {one.stratum}".rstrip(),
            one.answer,
            one.grader,
            f"{one.mean:.3f}",
            f"{one.mean_interval[0]:.3f} to {one.mean_interval[1]:.3f}",
            f"{one.maximum:.3f}",
            f"{one.passed:,}/{one.rows:,}",
            f"{one.pass_interval[0]:.1%} to {one.pass_interval[1]:.1%}",
        )
        for one in floors
    ]
    title = "Floors: mean score with its bootstrap interval, passes with the Wilson interval of their rate (95 %)"
    return Table(title, ("rows", "answer", "score", "mean", "95 % interval", "max", "passed", "95 % interval"), rows)


def _identity(identity: Sequence[Identity]) -> Table:
    rows = [(one.split, one.rows, one.stated, f"{one.tried:,}", one.within, one.found) for one in identity]
    notes = [f"searched by: {numbers}" for numbers in dict.fromkeys(one.numbers for one in identity) if numbers]
    notes += [f"{one.split}: {one.meaning}" for one in identity]
    header = ("split", "rows", "state their seed", "seeds tried", "seeds among them", "found")
    return Table("Identity: does a public row reveal its seed?", header, rows, notes)
