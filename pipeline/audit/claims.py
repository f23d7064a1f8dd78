"""Checks every claim on every row: those of the family, and those that every family makes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.audit.rows import Rows, Show
from pipeline.build.encode import canonical_line
from pipeline.families.audit_plan import AuditPlan
from pipeline.families.base import Item
from pipeline.families.leaks import leaked_texts
from pipeline.pins import read_pin

Break = tuple[str, str]
"""The row, or the split for a claim about all of its rows, and what contradicts the claim there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One claim and what breaks it.

    Attributes:
        name: what it is about.
        statement: the statement.
        binding: whether the edition promises it.
        rows: how many rows (or splits) it was checked on.
        breaks: everything that contradicts it, in the order of the rows.
    """

    name: str
    statement: str
    binding: bool
    rows: int
    breaks: tuple[Break, ...]

    @property
    def broken_rows(self) -> tuple[str, ...]:
        """The rows that break it, each once."""
        return tuple(dict.fromkeys(row for row, _ in self.breaks))


def check_claims(rows: Rows, plan: AuditPlan, show: Show) -> list[Checked]:
    """Check all claims; statements about totals only where the rows are the published ones."""
    family = rows.family
    everything: list[tuple[str, str, Item]] = [
        (split, family.row_id(item.public), item) for split, items in rows.splits.items() for item in items
    ]
    results = []
    jobs: list[Callable[[], Checked]] = [
        *(_each(everything, claim.name, claim.statement, claim.check, claim.binding) for claim in plan.claims),
        *(_each(everything, name, statement, check) for name, statement, check in _claims_of_every_family(rows)),
    ]
    if len(rows.splits) > 1:
        jobs.append(lambda: _parallel(rows, plan))
    if rows.published:
        jobs += [
            *(_total(rows, claim.name, claim.statement, claim.check, claim.binding) for claim in plan.totals),
            lambda: _pinned(rows),
        ]
    for done, job in enumerate(jobs):
        show(done, len(jobs))
        results.append(job())
    show(len(jobs), len(jobs))
    return results


def _each(
    everything: Sequence[tuple[str, str, Item]],
    name: str,
    statement: str,
    check: Callable[[Item], Iterable[str]],
    binding: bool = True,
) -> Callable[[], Checked]:
    def job() -> Checked:
        breaks = tuple((row, text) for _, row, item in everything for text in check(item))
        return Checked(name, statement, binding, len(everything), breaks)

    return job


def _total(
    rows: Rows, name: str, statement: str, check: Callable[[Sequence[Item]], Iterable[str]], binding: bool
) -> Callable[[], Checked]:
    def job() -> Checked:
        breaks = tuple((split, text) for split, items in rows.splits.items() for text in check(items))
        return Checked(name, statement, binding, len(rows.splits), breaks)

    return job


def _claims_of_every_family(rows: Rows) -> Iterator[tuple[str, str, Callable[[Item], Iterator[str]]]]:
    family = rows.family

    def secrets(item: Item) -> Iterator[str]:
        for text in leaked_texts(family, item):
            yield f"the public row holds {text[:60]!r}"

    def oracle(item: Item) -> Iterator[str]:
        for grader in family.graders:
            grade = family.grade(item, family.oracle(item, grader))[grader]
            if not grade.passed or grade.score != 1:
                yield f"{grader}: {grade.score}: {grade.error}"

    def empty(item: Item) -> Iterator[str]:
        for grader, grade in family.grade(item, family.empty_answer).items():
            if grade.passed or grade.score:
                yield f"{grader}: {grade.score}"

    yield "secret texts", "No text of the truth row stands in the public row.", secrets
    yield "oracle", "The truth as an answer scores 1 and passes, under every grader.", oracle
    yield "empty answer", "The empty answer scores 0 under every grader.", empty


def _parallel(rows: Rows, plan: AuditPlan) -> Checked:
    """Compare rows of one world in several splits."""
    family = rows.family
    first: dict[Hashable, Any] = {}
    breaks: list[Break] = []
    for _, item in rows.all():
        world = plan.world(item)
        if world is not None and first.setdefault(world, family.parallel_view(item)) != family.parallel_view(item):
            breaks.append((family.row_id(item.public), "differs from the same world in another split"))
    statement = "The same world in another split has the same numbers, dates, accounts and errors."
    return Checked("parallel splits", statement, True, rows.count, tuple(breaks))


def _pinned(rows: Rows) -> Checked:
    """Hash the canonical rows of every config and split and compare with the committed pin."""
    family, pin = rows.family, read_pin(rows.family)
    breaks: list[Break] = []
    for config in family.configs:
        for split, items in rows.splits.items():
            name = f"{config}-{split}.jsonl"
            digest = hashlib.sha256()
            for item in items:
                digest.update(canonical_line(item.public if config == family.public_config else item.truth, name))
            if name not in pin:
                breaks.append((split, f"{name} has no pin"))
            elif digest.hexdigest() != pin[name]:
                breaks.append((split, f"{name} has the SHA-256 {digest.hexdigest()} and not {pin[name]}"))
    return Checked("SHA-256", "Every file of rows has its published SHA-256.", True, len(rows.splits), tuple(breaks))
