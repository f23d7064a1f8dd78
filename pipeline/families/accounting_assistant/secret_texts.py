"""The texts of a truth row that its public row must never hold.

Ids and amounts of the truth stand in the record by right. What never does is a statement of the truth: a key of the
answer with its value, as JSON. A leak can stand in the row itself, inside a text of it (the prompt, the record) or
inside a text of the record (a description), and each of these nestings escapes the quotes once more. So every statement
is given bare and escaped once and twice, in compact JSON and with the spaces that `json.dumps` writes.

An adjusted balance is a secret even without its key, unless the record holds that very number: without bank-only
lines the adjusted book balance is the ledger's closing balance, under an offset the bank's is the adjusted one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pipeline.families.base import Item

_HEAD = ("id", "seed", "split")
_BALANCES = ("adjusted_book_balance", "adjusted_bank_balance")
_NUMBERS = ("opening_cash", "ledger_closing_balance", "bank_closing_balance")
_LISTS = ("ledger", "bank_statement", "ap_invoices")
_ENCODERS = tuple(json.JSONEncoder(ensure_ascii=False, separators=pair) for pair in ((",", ":"), (", ", ": ")))
_NESTINGS = 2


def secret_texts(item: Item) -> Iterator[str]:
    """Yield the texts; none is part of a sound public row, whether its texts are searched or its JSON."""
    for key, value in item.truth.items():
        if key in _HEAD:
            continue
        for encoder in _ENCODERS:
            text = encoder.encode({key: value})[1:-1]
            yield text
            for _ in range(_NESTINGS):
                text = text.replace("\\", "\\\\").replace('"', '\\"')
                yield text
    numbers = _record_numbers(item.public["case"])
    for key in _BALANCES:
        balance = item.truth[key]
        if not any(balance in number for number in numbers):
            yield balance


def _record_numbers(case: str) -> list[str]:
    """List the amounts that stand in a record by right; none if it cannot be read, so that nothing excuses a leak."""
    try:
        record = json.loads(case)
        numbers = [str(record[key]) for key in _NUMBERS]
        return numbers + [str(line["amount"]) for key in _LISTS for line in record[key]]
    except (ValueError, LookupError, TypeError):
        return []
