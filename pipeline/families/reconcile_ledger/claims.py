"""What is said of the scenarios, checked on the finished rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from pipeline.families.audit_plan import Claim
from pipeline.families.base import Item
from pipeline.families.reconcile_ledger.prompt import render
from pipeline.families.reconcile_ledger.records import DISCREPANCIES, DRIFT, MISMATCH, TRANSACTIONS, TYPES
from pipeline.families.reconcile_ledger.solve import solve
from pipeline.families.reconcile_ledger.tables import Tables, to_cents

_AMOUNT = re.compile(r"-?(0|[1-9]\d*)\.\d\d")
_DRIFTS = range(-3, 6)
_FORMULAS = tuple("=+@-")


def _counts(item: Item) -> Iterator[str]:
    kinds = [found["type"] for found in item.truth["discrepancies"]]
    ids = {found["txn_id"] for found in item.truth["discrepancies"]}
    if len(bank := Tables(item.public).bank) != TRANSACTIONS:
        yield f"{len(bank)} transactions"
    if len(kinds) != DISCREPANCIES or len(ids) != DISCREPANCIES:
        yield f"{len(kinds)} discrepancies in {len(ids)} transactions"
    if set(kinds) != set(TYPES):
        yield f"discrepancies of {', '.join(sorted(set(kinds)))}"


def _references(item: Item) -> Iterator[str]:
    tables = Tables(item.public)
    refs = {line["txn_ref"] for line in tables.bank}
    if len(refs) < len(tables.bank):
        yield "a reference stands twice in the bank feed"
    yield from (f"ledger reference {ref} has no transaction" for ref in tables.places if ref not in refs)


def _solved(item: Item) -> Iterator[str]:
    if (found := solve(item.public)["discrepancies"]) != item.truth["discrepancies"]:
        yield f"solved {found}"


def _month(item: Item) -> Iterator[str]:
    for line in Tables(item.public).bank:
        if line["date"][:7] != item.public["period"]:
            yield f"{line['txn_id']} is of {line['date']}"


def _amounts(item: Item) -> Iterator[str]:
    tables = Tables(item.public)
    for line in (*tables.bank, *tables.ledger):
        if not _AMOUNT.fullmatch(line["amount"]) or not to_cents(line["amount"]):
            yield f"amount {line['amount']}"


def _drifts(item: Item) -> Iterator[str]:
    tables = Tables(item.public)
    for found, line in _planted(item, tables, DRIFT):
        for place in tables.places[line["txn_ref"]]:
            days = (date.fromisoformat(tables.ledger[place]["date"]) - date.fromisoformat(line["date"])).days
            if days == 0 or days not in _DRIFTS:
                yield f"{found} drifts by {days} days"


def _signs(item: Item) -> Iterator[str]:
    """Check that a sign changes only where two mismatches have each other's amount."""
    tables = Tables(item.public)
    wrong = {}
    for found, line in _planted(item, tables, MISMATCH):
        (place,) = tables.places[line["txn_ref"]]
        wrong[found] = (to_cents(line["amount"]), to_cents(tables.ledger[place]["amount"]))
    for found, (right, booked) in wrong.items():
        if right * booked < 0 and (booked, right) not in wrong.values():
            yield f"{found} changes its sign"


def _planted(item: Item, tables: Tables, kind: str) -> Iterator[tuple[str, dict[str, str]]]:
    wanted = {found["txn_id"] for found in item.truth["discrepancies"] if found["type"] == kind}
    return ((line["txn_id"], dict(line)) for line in tables.bank if line["txn_id"] in wanted)


def _shared(item: Item) -> Iterator[str]:
    uses = Counter(line["amount"] for line in Tables(item.public).bank)
    shared = sum(count for count in uses.values() if count > 1)
    if shared * 5 != TRANSACTIONS:
        yield f"{shared} transactions share their amount"


def _texts(item: Item) -> Iterator[str]:
    tables = Tables(item.public)
    for line in (*tables.bank, *tables.ledger):
        if line["description"].startswith(_FORMULAS):
            yield f"the text {line['description']!r} is a formula"
    for line in tables.bank:
        for place in tables.places.get(line["txn_ref"], ()):
            if tables.ledger[place]["description"] == line["description"]:
                yield f"{line['txn_id']} has one text on both sides"


def _prompt(item: Item) -> Iterator[str]:
    row = item.public
    if row["prompt"] != render(row["period"], row["bank_csv"], row["gl_csv"]):
        yield "the prompt is not the template filled in"


CLAIMS = (
    Claim("counts", "200 transactions; 12 have a discrepancy each, of every type.", _counts),
    Claim("references", "References are unique, and every ledger row has a transaction.", _references),
    Claim("definitions", "Matching by reference leads to the truth.", _solved),
    Claim("month", "Every transaction is within the month.", _month),
    Claim("amounts", "Amounts have two decimals and are never zero.", _amounts),
    Claim("drifts", "Dates drift by -3 to +5 days and never by none.", _drifts),
    Claim("signs", "A sign changes only where two mismatches are swapped.", _signs),
    Claim("shared amounts", "A fifth of the transactions share their amount with another one.", _shared),
    Claim("texts", "The two sides never have one text, and no text is a formula.", _texts),
    Claim("prompt", "The prompt is the template of the seed document, filled in.", _prompt),
)
