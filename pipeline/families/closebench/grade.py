"""Two grades for one answer: the package's own, as published, and a strict one that closes its holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pipeline.families.answers import Number, Unreadable
from pipeline.families.base import Grade, Item
from pipeline.families.closebench.adjustments import Malformed, net_by_account, read_entries
from pipeline.families.closebench.package import Package
from pipeline.families.closebench.rebuild import rebuild_world

PUBLISHED, STRICT = "published", "strict"

_NEAR = Fraction(1, 2)  # credit for an economically equivalent account
_PENALTY = Fraction(1, 10)  # for every entry that matches no planted error


def grade_answer(package: Package, item: Item, answer: str) -> dict[str, Grade]:
    """Grade an answer, a JSON array of adjusting entries, under both graders. Never raises."""
    try:
        entries = read_entries(answer)
    except Unreadable as error:
        unreadable = Grade(0.0, False, str(error))
        return {PUBLISHED: unreadable, STRICT: unreadable}
    return {PUBLISHED: _grade_published(package, item, entries), STRICT: _grade_strict(package, item, entries)}


def _grade_published(package: Package, item: Item, entries: Sequence[Any]) -> Grade:
    """Post everything through the package's session and let its grader speak."""
    session = package.tools.Session(rebuild_world(package, item))
    refused = 0
    for entry in entries:
        if isinstance(entry, dict):
            session.post_entry(*(_plain(entry.get(key)) for key in ("date", "memo", "lines")))
        else:
            refused += 1
    refused += len(entries) - refused - len(session.posted)
    try:
        result = package.grader.grade(session.w, session)
    except (
        Exception
    ) as error:  # the package compares what the agent wrote without checking it: any error is its verdict
        return Grade(0.0, False, f"the package's grader raised {type(error).__name__}: {error}")
    parts = {key: result[key] for key in ("found", "partial", "missed", "spurious_entries", "tb_balanced")}
    return Grade(result["score"], result["passed"], _reason(result, refused), {**parts, "refused_entries": refused})


def _plain(value: Any) -> Any:
    """Turn number literals into numbers, so that the package sees the types that the agent wrote."""
    if isinstance(value, Number):
        return Decimal(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _reason(result: dict[str, Any], refused: int) -> str | None:
    reasons = [f"missed {' '.join(result['missed'])}"] if result["missed"] else []
    if result["partial"]:
        reasons.append(f"half credit for {' '.join(result['partial'])}")
    if result["spurious_entries"]:
        reasons.append(f"{len(result['spurious_entries'])} entries match no planted error")
    if refused:
        reasons.append(f"{refused} entries could not be posted")
    return "; ".join(reasons) or None


def _grade_strict(package: Package, item: Item, entries: Sequence[Any]) -> Grade:
    """Match net effects to errors, each at most once, for the best total.

    The rules: errors of amount zero are void. An entry counts by what it nets to per account, so that a wash or a
    passenger beside a fix cannot score; it matches an error exactly with the same two accounts and amount, nearly
    (half credit) with an account that the package calls equivalent, dated inside the fix's period. Whatever matches
    nothing, malformed entries included, costs a tenth. Passed means every live error exact and nothing unmatched.
    """
    live, void = _split_errors(item, package.ledger.D)
    accounts = frozenset(account["code"] for account in item.public["accounts"])
    candidates: list[tuple[tuple[int, Fraction], ...]] = []
    malformed: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            net = net_by_account(entry, accounts, package.ledger.D)
        except Malformed as problem:
            malformed.append(f"entry {number}: {problem}")
            continue
        candidates.append(_matches(entry["date"], net, live, package))
    matched = best_matching(candidates)
    exact = sorted(error for error, credit in matched.items() if credit == 1)
    near = sorted(error for error, credit in matched.items() if credit == _NEAR)
    missed = [error for error in range(len(live)) if error not in matched]
    unmatched = len(entries) - len(matched)
    total = sum(matched.values(), Fraction(0)) / len(live) if live else Fraction(1)
    parts = {
        "found": [live[error]["err_id"] for error in exact],
        "partial": [live[error]["err_id"] for error in near],
        "missed": [live[error]["err_id"] for error in missed],
        "void": void,
        "unmatched_entries": unmatched,
        "malformed": malformed[:20],
    }
    result = {"missed": parts["missed"], "partial": parts["partial"], "spurious_entries": range(unmatched)}
    reason = "; ".join(filter(None, [_reason(result, 0), malformed[0] if malformed else None])) or None
    passed = len(exact) == len(live) and not unmatched
    return Grade(round(float(max(Fraction(0), total - _PENALTY * unmatched)), 6), passed, reason, parts)


def _split_errors(item: Item, to_amount: Callable[[str], Decimal]) -> tuple[list[dict[str, Any]], list[str]]:
    live, void = [], []
    for error in item.truth["errors"]:
        if to_amount(error["fix"]["amount"]):
            live.append(error)
        else:
            void.append(error["err_id"])
    return live, void


def _matches(
    date: str, net: dict[str, int], live: Sequence[dict[str, Any]], package: Package
) -> tuple[tuple[int, Fraction], ...]:
    """Return (index of the error, credit) for every error that an entry with this net effect could settle."""
    if len(net) != 2:
        return ()
    (credited, negative), (debited, positive) = sorted(net.items(), key=lambda item: item[1])
    if positive != -negative:
        return ()
    found = []
    for index, error in enumerate(live):
        fix = error["fix"]
        in_period = fix["period"][0] <= date <= fix["period"][1]
        if not in_period or int(package.ledger.D(fix["amount"]).scaleb(2)) != positive:
            continue
        if (debited, credited) == (fix["debit_account"], fix["credit_account"]):
            found.append((index, Fraction(1)))
        elif package.grader._same(debited, fix["debit_account"]) and package.grader._same(
            credited, fix["credit_account"]
        ):
            found.append((index, _NEAR))
    return tuple(found)


def best_matching(candidates: Sequence[tuple[tuple[int, Fraction], ...]]) -> dict[int, Fraction]:
    """Match entries to errors, one to one, for the highest total credit and then the most matches.

    Works over sets of settled errors: there are at most 17 errors, and entries with the same options beyond the
    number of errors cannot add anything.

    Args:
        candidates: for each entry the errors that it could settle, with the credit.

    Returns:
        The credit of each settled error.
    """
    errors = len({error for options in candidates for error, _ in options})
    best: dict[frozenset[int], dict[int, Fraction]] = {frozenset(): {}}
    for options, copies in Counter(options for options in candidates if options).items():
        for _ in range(min(copies, errors)):
            for settled, credits in list(best.items()):
                for error, credit in options:
                    if error not in settled:
                        wider = {**credits, error: credit}
                        known = best.get(settled | {error})
                        if known is None or sum(known.values()) < sum(wider.values()):
                            best[settled | {error}] = wider
    return max(best.values(), key=lambda credits: sum(credit + _PENALTY for credit in credits.values()))
