"""Ways to guess what is planted in a case without reconciling it, and the ways that are reconciling it."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

from pipeline.families.accounting_assistant.record import (
    BANK_ONLY,
    DUPLICATE,
    LINE_KINDS,
    OUTSTANDING,
    UNPRESENTED,
    UNRECONCILED,
    Line,
    lines,
    read_case,
    to_cents,
)
from pipeline.families.accounting_assistant.solve import solve
from pipeline.families.audit_plan import Nature, Rule, SideEffect
from pipeline.families.base import Row

Case = Mapping[str, Any]

_LATE_DAYS = 5
_LONG_TEXT = 60
"""No description is as long as this without an instruction in it."""


def _in_lines(
    name: str, nature: Nature, why: str, holds: Callable[[Line], bool], kinds: tuple[str, ...] = LINE_KINDS
) -> Rule:
    def guess(row: Row) -> Iterator[tuple[str, str]]:
        return ((line.kind, line.id) for line in lines(read_case(row)) if line.kind in kinds and holds(line))

    return Rule(name, kinds, nature, why, guess)


def _in_case(name: str, nature: Nature, why: str, holds: Callable[[Case], bool]) -> Rule:
    def guess(row: Row) -> Iterator[tuple[str, str]]:
        if holds(read_case(row)):
            yield UNRECONCILED, ""

    return Rule(name, (UNRECONCILED,), nature, why, guess)


def _median(line: Line) -> float:
    """Return the median amount of a line's list; both rules stop short of it, for a pair of duplicates may be it."""
    return median(to_cents(other["amount"]) for other in line.listed)


def _last_day(line: Line) -> int:
    year, month, _ = map(int, line.content["date"].split("-"))
    return monthrange(year, month)[1]


def _shares(field: str) -> Callable[[Line], bool]:
    return lambda line: sum(other[field] == line.content[field] for other in line.listed) > 1


def _texts(case: Case) -> Iterator[str]:
    return (line["description"] for name in ("ledger", "bank_statement") for line in case[name])


_ORDER = "Lists are shuffled and ids given afterwards, so that a place says nothing."
_DRAWN = "Refs and amounts of open and cleared items are drawn alike."
_DATES = "Open and cleared items have the same dates; that one is late is no proof."

ARTEFACTS = (
    _in_lines("first third of its list", "artefact", _ORDER, lambda line: 3 * line.place < len(line.listed)),
    _in_lines("last third of its list", "artefact", _ORDER, lambda line: 3 * line.place >= 2 * len(line.listed)),
    _in_lines("even id", "artefact", _ORDER, lambda line: line.place % 2 == 1),
    _in_lines("ref in the lower half", "artefact", _DRAWN, lambda line: line.ref.lstrip("R") < "55"),
    _in_lines("even ref", "artefact", _DRAWN, lambda line: line.ref[-1] in "02468"),
    _in_lines("amount above the median", "artefact", _DRAWN, lambda line: line.cents > _median(line)),
    _in_lines("amount below the median", "artefact", _DRAWN, lambda line: line.cents < _median(line)),
    _in_lines("amount begins with 1", "artefact", _DRAWN, lambda line: line.content["amount"][0] == "1"),
    _in_lines("even cents", "artefact", _DRAWN, lambda line: line.cents % 2 == 0),
    _in_lines("last day of the month", "artefact", _DATES, lambda line: line.day == _last_day(line)),
    _in_lines("last five days", "artefact", _DATES, lambda line: line.day > _last_day(line) - _LATE_DAYS),
    _in_lines(
        "amount that another line has",
        "artefact",
        "Two items may well have one amount; what makes them one item is the ref.",
        _shares("amount"),
        (OUTSTANDING, UNPRESENTED),
    ),
    _in_lines(
        "instruction in the description",
        "artefact",
        "Any line may carry an instruction.",
        lambda line: len(line.content["description"]) > _LONG_TEXT,
        (OUTSTANDING, UNPRESENTED, BANK_ONLY),
    ),
    _in_case(
        "an instruction says unreconciled",
        "artefact",
        "What an instruction says depends on nothing else in the case.",
        lambda case: any("unreconciled" in text for text in _texts(case)),
    ),
    _in_case(
        "some instruction",
        "artefact",
        "Whether there is one depends on nothing else in the case.",
        lambda case: any(len(text) > _LONG_TEXT for text in _texts(case)),
    ),
    _in_case(
        "bank balance above ledger balance",
        "artefact",
        "Either may be higher before the adjustments.",
        lambda case: to_cents(case["bank_closing_balance"]) > to_cents(case["ledger_closing_balance"]),
    ),
    _in_case(
        "more lines in the ledger than on the statement",
        "artefact",
        "The numbers of open items and of bank-only lines are drawn by themselves.",
        lambda case: len(case["ledger"]) > len(case["bank_statement"]),
    ),
)


def _unmatched(row: Row) -> Iterator[tuple[str, str]]:
    found = solve(row)
    yield from ((OUTSTANDING, line) for line in found["outstanding_deposit_ids"])
    yield from ((UNPRESENTED, line) for line in found["unpresented_payment_ids"])
    case = read_case(row)
    booked = {line["ref"] for line in case["ledger"]}
    yield from ((BANK_ONLY, line.id) for line in lines(case) if line.kind == BANK_ONLY and line.ref not in booked)


def _alike(row: Row) -> Iterator[tuple[str, str]]:
    return ((DUPLICATE, line) for line in solve(row)["duplicate_invoice_ids"])


def _differ(row: Row) -> Iterator[tuple[str, str]]:
    if solve(row)["reconciliation_status"] == UNRECONCILED:
        yield UNRECONCILED, ""


def _amount_not_cleared(row: Row) -> Iterator[tuple[str, str]]:
    case = read_case(row)
    cleared = Counter((line["type"], line["amount"]) for line in case["bank_statement"])
    for line in lines(case):
        if line.kind in (OUTSTANDING, UNPRESENTED) and not cleared[line.content["type"], line.content["amount"]]:
            yield line.kind, line.id


EVIDENCE = (
    Rule(
        "ref in one list only",
        (OUTSTANDING, UNPRESENTED, BANK_ONLY),
        "evidence",
        "This is what the task defines as open, or as known to the bank alone.",
        _unmatched,
    ),
    Rule(
        "amount not on the statement",
        (OUTSTANDING, UNPRESENTED),
        "evidence",
        "Matching by amount is accounting, if the wrong kind: equal amounts and transposed digits defeat it.",
        _amount_not_cleared,
    ),
    Rule(
        "vendor, number and amount alike",
        (DUPLICATE,),
        "evidence",
        "This is what the task defines as duplicate.",
        _alike,
    ),
    _in_lines(
        "date that another invoice has",
        "evidence",
        "A copy keeps the date of its original one time in three, be it a duplicate or only like one.",
        _shares("date"),
        (DUPLICATE,),
    ),
    _in_lines(
        "vendor that another invoice has",
        "evidence",
        "A duplicate has the vendor of another invoice, and so have others.",
        _shares("vendor"),
        (DUPLICATE,),
    ),
    Rule(
        "adjusted balances differ",
        (UNRECONCILED,),
        "evidence",
        "This is what the task defines as unreconciled.",
        _differ,
    ),
)

RULES = (*ARTEFACTS, *EVIDENCE)


def _counts(row: Row) -> int:
    case = read_case(row)
    return len(case["ledger"]) - len(case["bank_statement"])


SIDE_EFFECTS = (
    SideEffect(
        "ledger lines less bank lines -> open items",
        "Open items are in the ledger alone; bank-only lines blur the count.",
        _counts,
        lambda item: len(item.truth["outstanding_deposit_ids"]) + len(item.truth["unpresented_payment_ids"]),
    ),
    SideEffect(
        "number of invoices -> number of duplicates",
        "The size of the register is drawn by itself.",
        lambda row: len(read_case(row)["ap_invoices"]),
        lambda item: len(item.truth["duplicate_invoice_ids"]),
    ),
)
