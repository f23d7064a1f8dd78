"""The published score: the package's own session posts the entries and the package's own ``grade`` judges them.

Two things are done less often than the package would, without any effect on the result: an answer is posted once
and not once a world, and the trial balance is not summed anew from every line for every account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pipeline.families.answers import Number
from pipeline.families.base import Grade
from pipeline.families.closebench.package import Package

MOST_POSTED = 1000
"""More entries than this score 0 without a look: a tenth is lost for every entry but one an error, and the package
takes a time that grows with their square."""


EXACT_BELOW = Decimal(10) ** 15
"""Decimals have 28 digits: below this no sum of amounts in an answer is ever rounded, so that order cannot matter."""

_ZERO = Decimal("0.00")


@dataclass(frozen=True, slots=True)
class Posted:
    """What the package's session made of an answer.

    Attributes:
        entries: the entries that it accepted, as the package's own objects.
        refused: how many it did not.
        effects: for each entry what it adds to the accounts; None where amounts are so large that sums are rounded.
    """

    entries: Sequence[Any]
    refused: int
    effects: Sequence[Mapping[str, Decimal]] | None


def post(package: Package, accounts: Sequence[Any], lang: str, entries: Sequence[Any]) -> Posted:
    """Post every entry of an answer to empty books with this chart of accounts."""
    books = _Books(package.ledger.Ledger(accounts, lang), lang)
    session = package.tools.Session(books)
    for entry in entries:
        if isinstance(entry, dict):
            session.post_entry(*(_plain(entry.get(key)) for key in ("date", "memo", "lines")))
            session.calls.clear()  # the log keeps every line a second time and nothing reads it
    accepted = books.ledger.entries
    exact = all(line.debit < EXACT_BELOW and line.credit < EXACT_BELOW for entry in accepted for line in entry.lines)
    effects = [_effect(entry.lines, {}) for entry in accepted] if exact else None
    return Posted(accepted, len(entries) - len(session.posted), effects)


def _effect(lines: Sequence[Any], balances: dict[str, Decimal]) -> dict[str, Decimal]:
    """Add lines to balances one after the other, as the package does."""
    for line in lines:
        balances[line.account] = balances.get(line.account, _ZERO) + (line.debit - line.credit)
    return balances


def grade_published(package: Package, world: Any, posted: Posted) -> Grade:
    """Let the package's grader speak on a world and the entries posted to it."""
    if len(posted.entries) > MOST_POSTED:
        return Grade(0.0, False, f"more than {MOST_POSTED} entries were posted; each that matches no error costs 0.1")
    ledger = _Ledger([*world.ledger.entries, *posted.entries], sorted(world.ledger.accounts), posted)
    view = _World(world.errors, ledger, world.period_end)
    try:
        result = package.grader.grade(view, _Session([entry.eid for entry in posted.entries]))
    except (
        Exception
    ) as error:  # the package compares what the agent wrote without checking it: any error is its verdict
        return Grade(0.0, False, f"the package's grader raised {type(error).__name__}: {error}")
    parts = {key: result[key] for key in ("found", "partial", "missed", "spurious_entries", "tb_balanced")}
    reason = lost_points(result["missed"], result["partial"], len(result["spurious_entries"]), posted.refused)
    return Grade(result["score"], result["passed"], reason, {**parts, "refused_entries": posted.refused})


def lost_points(missed: Sequence[str], partial: Sequence[str], spurious: int, refused: int) -> str | None:
    """Say in one line why points were lost."""
    reasons = [f"missed {' '.join(missed)}"] if missed else []
    if partial:
        reasons.append(f"half credit for {' '.join(partial)}")
    if spurious:
        reasons.append(f"{spurious} entries match no planted error")
    if refused:
        reasons.append(f"{refused} entries could not be posted")
    return "; ".join(reasons) or None


@dataclass(frozen=True, slots=True)
class _Books:
    """What the package's session needs of a world in order to post."""

    ledger: Any
    lang: str


@dataclass(frozen=True, slots=True)
class _Session:
    """What the package's grader needs of a session."""

    posted: Sequence[str]
    calls: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class _Ledger:
    """What the package's grader needs of a ledger: the entries of the world, then those posted."""

    entries: Sequence[Any]
    codes: Sequence[str]
    posted: Posted

    def tb_totals(self, upto: str) -> tuple[Decimal, Decimal]:
        """Return the totals of the trial balance as the package works them out."""
        balances = dict.fromkeys(self.codes, _ZERO)
        effects = self.posted.effects
        by_line = len(self.entries) - len(effects or ())
        for place, entry in enumerate(self.entries):
            if entry.date > upto:
                continue
            if effects is None or place < by_line:
                _effect(entry.lines, balances)
            else:
                for account, amount in effects[place - by_line].items():
                    balances[account] += amount
        debit = sum((balance for balance in balances.values() if balance > 0), _ZERO)
        credit = sum((-balance for balance in balances.values() if balance < 0), _ZERO)
        return debit, credit


@dataclass(frozen=True, slots=True)
class _World:
    """What the package's grader needs of a world."""

    errors: Sequence[Any]
    ledger: _Ledger
    period_end: str


def _plain(value: Any) -> Any:
    """Turn number literals into numbers, so that the package sees the types that the agent wrote."""
    if isinstance(value, Number):
        return Decimal(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
