"""The form of a transaction, for the probe: place, digits, amount and words of its bank line, and of its ledger row.

The ledger row is looked at only where a transaction has just one, and bank amount and ledger amount never together:
how many rows there are, and whether they agree, is what reconciling finds out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pipeline.families.audit_plan import Feature, Subject
from pipeline.families.base import Row
from pipeline.families.reconcile_ledger.tables import Tables, to_cents


def subjects(row: Row) -> Iterator[Subject]:
    """Describe every transaction."""
    tables = Tables(row)
    for place, line in enumerate(tables.bank):
        yield Subject(line["txn_id"], dict(_of_transaction(tables, place)))


def _of_transaction(tables: Tables, place: int) -> Iterator[tuple[str, Feature]]:
    line = tables.bank[place]
    cents = to_cents(line["amount"])
    yield "rank", place / len(tables.bank)
    yield from _digits("id", line["txn_id"][-4:])
    yield from _digits("ref", line["txn_ref"])
    yield "amount, leading digit", float(str(abs(cents))[0])
    yield "amount, last digit", float(abs(cents) % 10)
    yield "amount, magnitude", math.log10(abs(cents))
    yield "amount, sign", frozenset(["-" if cents < 0 else "+"])
    yield "words", _marks(line["description"])
    posted = tables.places.get(line["txn_ref"], ())
    if len(posted) == 1:
        entry = tables.ledger[posted[0]]
        yield "ledger: rank", posted[0] / len(tables.ledger)
        yield from _digits("ledger: id", entry["gl_id"][-4:])
        yield "ledger: amount ends in 0", float(entry["amount"].endswith("0"))
        yield "ledger: words", _marks(entry["description"])


def _digits(name: str, text: str) -> Iterator[tuple[str, Feature]]:
    for place, digit in enumerate(filter(str.isdigit, text), 1):
        yield f"{name}, digit {place}", float(digit)


def _marks(text: str) -> frozenset[str]:
    """Return which marks a text has; they tell its wording apart, whatever it is about."""
    return frozenset(mark for mark in ",:/\"'()" if mark in text)
