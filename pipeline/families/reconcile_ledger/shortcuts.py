"""Ways to guess which transactions are planted without reconciling, and the way that is reconciling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from statistics import median

from pipeline.families.audit_plan import Nature, Rule, SideEffect
from pipeline.families.base import Item, Row
from pipeline.families.reconcile_ledger.records import DRIFT, DUPLICATE, MISMATCH, MISSING, TYPES
from pipeline.families.reconcile_ledger.solve import solve
from pipeline.families.reconcile_ledger.tables import Tables, to_cents

Holds = Callable[[Tables, int], bool]
"""Tells whether a rule takes the transaction at a place of the bank feed for planted."""


def _rule(name: str, nature: Nature, why: str, holds: Holds, kinds: tuple[str, ...] = TYPES) -> Rule:
    def guess(row: Row) -> Iterator[tuple[str, str]]:
        tables = Tables(row)
        chosen = [line["txn_id"] for place, line in enumerate(tables.bank) if holds(tables, place)]
        return ((kind, txn_id) for kind in kinds for txn_id in chosen)

    return Rule(name, kinds, nature, why, guess)


def _share(count: Callable[[Tables], int], least: float, most: float) -> Holds:
    return lambda tables, place: least <= place / count(tables) < most


def _posted(tables: Tables, place: int) -> list[int]:
    """Return the places of the ledger rows of a transaction."""
    return list(tables.places.get(tables.bank[place]["txn_ref"], ()))


def _posted_between(least: float, most: float) -> Holds:
    """Look at the only ledger row: of two, one is more often early and one more often late."""

    def holds(tables: Tables, place: int) -> bool:
        posted = _posted(tables, place)
        return len(posted) == 1 and least <= posted[0] / len(tables.ledger) < most

    return holds


def _posted_amount_ends_in_zero(tables: Tables, place: int) -> bool:
    return any(tables.ledger[row]["amount"].endswith("0") for row in _posted(tables, place))


def _large(tables: Tables, place: int) -> bool:
    middle = median(abs(to_cents(line["amount"])) for line in tables.bank)
    return abs(to_cents(tables.bank[place]["amount"])) > middle


def _field(name: str, holds: Callable[[str], bool]) -> Holds:
    return lambda tables, place: holds(tables.bank[place][name])


def _last_day(tables: Tables, place: int) -> bool:
    return tables.bank[place]["date"] == tables.bank[-1]["date"]


_SPREAD = "Discrepancies are spread over the feed, over the last day and over the rest of the month alike."
_REFS = "References are drawn before anything is planted."
_SHUFFLED = "The ledger is shuffled after planting."
_ALIKE = "Amounts and words are drawn alike for every transaction."

ARTEFACTS = (
    _rule("first quarter of the feed", "artefact", _SPREAD, _share(lambda tables: len(tables.bank), 0, 0.25)),
    _rule("last quarter of the feed", "artefact", _SPREAD, _share(lambda tables: len(tables.bank), 0.75, 1)),
    _rule("last day", "artefact", _SPREAD, _last_day),
    _rule("even id", "artefact", _SPREAD, lambda _, place: place % 2 == 1),
    _rule("even reference", "artefact", _REFS, _field("txn_ref", lambda ref: ref[-1] in "02468")),
    _rule("reference in the lower half", "artefact", _REFS, _field("txn_ref", lambda ref: ref[3] < "5")),
    _rule(
        "reference with a twin",
        "artefact",
        _REFS,
        lambda tables, place: tables.anagrams["".join(sorted(tables.bank[place]["txn_ref"]))] > 1,
    ),
    _rule(
        "amount that another one has",
        "artefact",
        "A fifth of the amounts are shared, and shared ones are planted no more often than others.",
        lambda tables, place: tables.uses[tables.bank[place]["amount"]] > 1,
    ),
    _rule("money paid out", "artefact", _ALIKE, _field("amount", lambda amount: amount.startswith("-"))),
    _rule("amount above the median", "artefact", _ALIKE, _large),
    _rule("amount begins with 1", "artefact", _ALIKE, _field("amount", lambda amount: amount.lstrip("-")[0] == "1")),
    _rule("amount ends in 0", "artefact", _ALIKE, _field("amount", lambda amount: amount.endswith("0"))),
    _rule("comma in the description", "artefact", _ALIKE, _field("description", lambda text: "," in text)),
    _rule(
        "ledger row in the first quarter",
        "artefact",
        _SHUFFLED,
        _posted_between(0, 0.25),
        (MISMATCH, DRIFT),
    ),
    _rule("ledger row in the last quarter", "artefact", _SHUFFLED, _posted_between(0.75, 1), (MISMATCH, DRIFT)),
    _rule(
        "ledger amount ends in 0",
        "artefact",
        "Wrong amounts have very nearly the digits of right ones, ten times too much included.",
        _posted_amount_ends_in_zero,
        (MISMATCH,),
    ),
)


def _solved(row: Row) -> Iterator[tuple[str, str]]:
    return ((found["type"], found["txn_id"]) for found in solve(row)["discrepancies"])


def _amount_unbooked(row: Row) -> Iterator[tuple[str, str]]:
    tables = Tables(row)
    booked = Counter(line["amount"] for line in tables.ledger)
    for line in tables.bank:
        if not booked[line["amount"]]:
            yield MISSING, line["txn_id"]
            yield MISMATCH, line["txn_id"]


def _amount_booked_once_more(row: Row) -> Iterator[tuple[str, str]]:
    tables = Tables(row)
    booked = Counter(line["amount"] for line in tables.ledger)
    for line in tables.bank:
        if booked[line["amount"]] > tables.uses[line["amount"]]:
            yield DUPLICATE, line["txn_id"]


def _booked_outside_the_month(row: Row) -> Iterator[tuple[str, str]]:
    tables = Tables(row)
    outside = {line["txn_ref"] for line in tables.ledger if line["date"][:7] != row["period"]}
    return ((DRIFT, line["txn_id"]) for line in tables.bank if line["txn_ref"] in outside)


EVIDENCE = (
    Rule("both tables matched by reference", TYPES, "evidence", "This is what the task asks for.", _solved),
    Rule(
        "amount nowhere in the ledger",
        (MISSING, MISMATCH),
        "evidence",
        "A transaction whose amount is not booked at all is missing or wrong; shared amounts hide it.",
        _amount_unbooked,
    ),
    Rule(
        "amount booked more often than paid",
        (DUPLICATE,),
        "evidence",
        "Counting amounts on both sides is reconciling by control totals.",
        _amount_booked_once_more,
    ),
    Rule(
        "booked outside the month",
        (DRIFT,),
        "evidence",
        "No transaction of the month belongs into another one.",
        _booked_outside_the_month,
    ),
)

RULES = (*ARTEFACTS, *EVIDENCE)


def _count(kind: str) -> Callable[[Item], int]:
    return lambda item: sum(found["type"] == kind for found in item.truth["discrepancies"])


SIDE_EFFECTS = (
    SideEffect(
        "number of ledger rows -> missing entries",
        "There are as many ledger rows as transactions, less what is missing and plus what is double.",
        lambda row: len(Tables(row).ledger),
        _count(MISSING),
    ),
)
