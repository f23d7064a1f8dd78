"""The rules that every scenario keeps, checked on the finished scenario without looking at how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import combinations, pairwise

from pipeline.errors import CheckFailed
from pipeline.families.reconcile_ledger.records import (
    DISCREPANCIES,
    DRIFT,
    DUPLICATE,
    MISMATCH,
    MISSING,
    TRANSACTIONS,
    TYPES,
    Entry,
    Scenario,
)

_COUNTS: dict[str | None, int] = {MISSING: 0, DUPLICATE: 2}
_DRIFTS = (-3, -2, -1, 1, 2, 3, 4, 5)

Rule = tuple[bool, str]
"""Whether a rule holds, and the rule."""


def check(scenario: Scenario) -> None:
    """Check every rule.

    Raises:
        CheckFailed: one does not hold; the message names the row and the rule.
    """
    rows: dict[str, list[Entry]] = {entry.ref: [] for entry in scenario.bank}
    for entry in scenario.ledger:
        if entry.ref not in rows:
            raise _broken(scenario, f"ledger reference {entry.ref} has a bank transaction")
        rows[entry.ref].append(entry)
    for rules in (_shape(scenario), _pairs(scenario, rows), _traps(scenario, rows)):
        for holds, rule in rules:
            if not holds:
                raise _broken(scenario, rule)


def _broken(scenario: Scenario, rule: str) -> CheckFailed:
    return CheckFailed(f"reconcile_ledger {scenario.id} breaks the rule: {rule}; this is an error of the generator")


def _shape(scenario: Scenario) -> Iterator[Rule]:
    bank, ledger, planted = scenario.bank, scenario.ledger, scenario.planted
    yield len(bank) == TRANSACTIONS, f"there are {TRANSACTIONS} bank transactions"
    yield len({entry.ref for entry in bank}) == len(bank), "references are unique in the bank feed"
    yield len(planted) == DISCREPANCIES, f"there are {DISCREPANCIES} discrepancies, one a transaction"
    yield set(planted.values()) == set(TYPES), "there is a discrepancy of every type and of no other"
    yield all(_same_month(entry.date, scenario.first_day) for entry in bank), "bank dates are within the month"
    yield list(bank) == sorted(bank, key=lambda entry: entry.date), "the bank feed is in order of dates"
    yield all(one.ref != other.ref for one, other in pairwise(ledger)), "duplicates stand apart"
    texts = [entry.description for entry in bank + ledger]
    yield all(text.isprintable() and text[:1] not in "=+@-" for text in texts), "texts are plain, and no formulas"
    for mark in ",\"'":
        yield any(mark in entry.description for entry in bank), f"some bank description has a {mark}"
        yield any(mark in entry.description for entry in ledger), f"some ledger description has a {mark}"


def _pairs(scenario: Scenario, rows: dict[str, list[Entry]]) -> Iterator[Rule]:
    """Every transaction differs from its ledger rows as its type says, and in nothing else."""
    planted = scenario.planted
    mismatches = [entry for place, entry in enumerate(scenario.bank) if planted.get(place) == MISMATCH]
    swaps = {(entry.cents, row.cents) for entry in mismatches for row in rows[entry.ref]}
    for place, entry in enumerate(scenario.bank):
        kind = planted.get(place)
        found = rows[entry.ref]
        yield entry.cents != 0, "no amount is zero"
        yield len(found) == _COUNTS.get(kind, 1), "there are as many ledger rows as the type says"
        for row in found:
            days = (row.date - entry.date).days
            yield (days in _DRIFTS) if kind == DRIFT else days == 0, "dates differ in a drift alone, by -3 to +5 days"
            yield (row.cents != entry.cents) == (kind == MISMATCH), "amounts differ in a mismatch alone"
            yield row.cents != 0, "no amount is zero"
            yield row.cents * entry.cents > 0 or (row.cents, entry.cents) in swaps, "a sign changes in a swap alone"
            yield row.description.upper() != entry.description.upper(), "descriptions differ between the sides"


def _traps(scenario: Scenario, rows: dict[str, list[Entry]]) -> Iterator[Rule]:
    bank, planted = scenario.bank, scenario.planted
    uses = Counter(entry.cents for entry in bank)
    shared = sum(count for count in uses.values() if count > 1)
    yield shared == TRANSACTIONS // 5, "a fifth of the amounts are shared"
    suspect = {
        kind: [
            bank[place].cents for place, its_kind in planted.items() if its_kind == kind and uses[bank[place].cents] > 1
        ]
        for kind in (MISSING, DUPLICATE)
    }
    yield (
        suspect[MISSING] == suspect[DUPLICATE] and len(suspect[MISSING]) < 2,
        "a missing and a duplicated entry share an amount with each other, or none does with any",
    )
    last_day = bank[-1].date
    cluster = [(place, entry) for place, entry in enumerate(bank) if entry.date == last_day]
    yield len(cluster) >= TRANSACTIONS // 5, "many transactions are on the last day"
    drifted = [rows[entry.ref][0].date for place, entry in cluster if planted.get(place) == DRIFT]
    yield (
        len(drifted) < 2 and all(day > last_day for day in drifted),
        "a drift on the last day goes into the ledger of the next month, and there is one at most",
    )
    yield not _same_month(last_day, date.fromordinal(last_day.toordinal() + 1)), "the last day is that of the month"
    yield _twins(entry.ref for entry in bank) >= TRANSACTIONS // 10, "some references are one transposition apart"


def _twins(refs: Iterable[str]) -> int:
    """Count the pairs of references that differ by a transposition of neighbouring characters."""
    anagrams: dict[str, list[str]] = {}
    for ref in refs:
        anagrams.setdefault("".join(sorted(ref)), []).append(ref)
    return sum(_transposed(one, other) for group in anagrams.values() for one, other in combinations(group, 2))


def _transposed(one: str, other: str) -> bool:
    places = [place for place in range(len(one)) if one[place] != other[place]]
    return len(places) == 2 and places[1] == places[0] + 1


def _same_month(one: date, other: date) -> bool:
    return (one.year, one.month) == (other.year, other.month)
