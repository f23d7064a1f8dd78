"""The record of a case as an agent reads it: what may be planted, in which line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.families.audit_plan import Question
from pipeline.families.base import Item, Row

OUTSTANDING, UNPRESENTED = "outstanding_deposit", "unpresented_payment"
BANK_ONLY, DUPLICATE, UNRECONCILED = "bank_only_fee", "duplicate_invoice", "unreconciled"

LINE_KINDS = (OUTSTANDING, UNPRESENTED, BANK_ONLY, DUPLICATE)
"""The kinds that are planted in a line; `UNRECONCILED` is planted in a case as a whole."""

_KIND_OF_TYPE = {
    ("ledger", "deposit"): OUTSTANDING,
    ("ledger", "payment"): UNPRESENTED,
    ("bank_statement", "fee"): BANK_ONLY,
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one of the three lists, with the kind that may be planted in it.

    Attributes:
        kind: the kind.
        id: its id.
        place: its place in its list, from 0.
        listed: its whole list.
        content: its fields.
        ref: its reference, or its number for an invoice.
        cents: its amount.
        day: the day of its date.
    """

    kind: str
    id: str
    place: int
    listed: Sequence[Mapping[str, str]]
    content: Mapping[str, str]
    ref: str
    cents: int
    day: int


def read_case(public: Row) -> dict[str, Any]:
    """Parse the record of a case."""
    case: dict[str, Any] = json.loads(public["case"])
    return case


def lines(case: Mapping[str, Any]) -> Iterator[Line]:
    """Yield every line that something may be planted in."""
    for name in ("ledger", "bank_statement"):
        for place, content in enumerate(case[name]):
            kind = _KIND_OF_TYPE.get((name, content["type"]))
            if kind:
                yield _line(kind, content["id"], content["ref"], place, case[name])
    for place, content in enumerate(case["ap_invoices"]):
        yield _line(DUPLICATE, content["invoice_id"], content["invoice_number"], place, case["ap_invoices"])


def _line(kind: str, name: str, ref: str, place: int, listed: Sequence[Mapping[str, str]]) -> Line:
    content = listed[place]
    return Line(kind, name, place, listed, content, ref, to_cents(content["amount"]), int(content["date"][-2:]))


def to_cents(text: str) -> int:
    """Read an amount with two decimals."""
    units, _, decimals = text.partition(".")
    return int(units) * 100 + int(decimals)


def questions(item: Item) -> Iterator[Question]:
    """Ask of every line what may be planted in it, and of the case whether it reconciles."""
    case, truth = read_case(item.public), item.truth
    booked = {line["ref"] for line in case["ledger"]}
    planted = {
        OUTSTANDING: set(truth["outstanding_deposit_ids"]),
        UNPRESENTED: set(truth["unpresented_payment_ids"]),
        DUPLICATE: set(truth["duplicate_invoice_ids"]),
        BANK_ONLY: {line["id"] for line in case["bank_statement"] if line["ref"] not in booked},
    }
    for line in lines(case):
        yield Question(line.kind, line.id, line.id in planted[line.kind])
    yield Question(UNRECONCILED, "", truth["reconciliation_status"] == "unreconciled")
