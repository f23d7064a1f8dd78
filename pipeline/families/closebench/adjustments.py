"""The answer of a closebench agent: a JSON array of adjusting entries.

An entry is ``{date, memo, lines: [{account, debit, credit}]}``; a side left out of a line is zero.
"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from pipeline.families.answers import Number, Unreadable, parse_answer
from pipeline.families.base import Row

MAX_ANSWER_BYTES = 4_000_000
"""Room for the entry of `pipeline.families.closebench.constant_entry` eight times over, which shows a hole of the
published grader and must therefore be gradeable; it takes 2.7 MB."""


def read_entries(answer: str) -> list[Any]:
    """Read the array; its elements may still be anything.

    Raises:
        Unreadable: the answer is not one JSON array.
    """
    entries = parse_answer(answer, MAX_ANSWER_BYTES)
    if not isinstance(entries, list):
        raise Unreadable("the answer is not a JSON array of adjusting entries")
    return entries


def oracle_answer(truth: Row, *, with_void: bool) -> str:
    """Post the fix of every planted error, those of amount zero only if `with_void`."""
    return json.dumps(
        [
            {
                "date": error["fix"]["period"][1],
                "memo": error["kind"],
                "lines": [
                    {"account": error["fix"]["debit_account"], "debit": error["fix"]["amount"], "credit": "0.00"},
                    {"account": error["fix"]["credit_account"], "debit": "0.00", "credit": error["fix"]["amount"]},
                ],
            }
            for error in truth["errors"]
            if with_void or Decimal(error["fix"]["amount"]) != 0
        ]
    )


class Malformed(Exception):
    """An entry that cannot be posted; the message says why in one line."""


def net_by_account(entry: Any, accounts: frozenset[str], to_amount: Any) -> dict[str, int]:
    """Check one entry and net it.

    Args:
        entry: one element of the answer.
        accounts: the codes of the chart of accounts.
        to_amount: the package's ``ledger.D``, which rounds to two decimals.

    Returns:
        Cents a account, debits positive, accounts that net to zero left out; empty for a wash.

    Raises:
        Malformed: a wrong type, a date that does not exist, an unknown account, a negative or endless amount, both
            sides on one line, or debits that differ from credits.
    """
    if not isinstance(entry, dict):
        raise Malformed("the entry is not an object")
    if not is_iso_date(entry.get("date")):
        raise Malformed("date is not a date written YYYY-MM-DD")
    if not _is_text(entry.get("memo", "")):
        raise Malformed("memo is not a string")
    lines = entry.get("lines")
    if not isinstance(lines, list) or not lines:
        raise Malformed("lines is not a list with lines in it")
    net: dict[str, int] = {}
    for line in lines:
        if not isinstance(line, dict) or not _is_text(line.get("account")):
            raise Malformed("a line is not an object with an account")
        if line["account"] not in accounts:
            raise Malformed(f"account {line['account'][:20]!r} is not in the chart of accounts")
        debit, credit = (_cents(line.get(side, "0"), to_amount) for side in ("debit", "credit"))
        if debit and credit:
            raise Malformed("a line has a debit and a credit")
        net[line["account"]] = net.get(line["account"], 0) + debit - credit
    if sum(net.values()):
        raise Malformed("debits and credits differ")
    return {account: cents for account, cents in net.items() if cents}


def is_iso_date(value: Any) -> bool:
    """Tell whether a value is the text of a real day, ``YYYY-MM-DD`` and nothing else."""
    if not isinstance(value, str) or not _is_text(value) or len(value) != len("2026-11-30") or not value.isascii():
        return False
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number)


def _cents(value: Any, to_amount: Any) -> int:
    if not isinstance(value, str):  # Number is a str too
        raise Malformed("an amount is neither a string nor a number")
    try:
        amount: Decimal = to_amount(value)
    except InvalidOperation:
        raise Malformed(f"{value[:20]!r} is not an amount") from None
    if not amount.is_finite() or amount < 0:
        raise Malformed(f"{value[:20]!r} is not an amount from zero up")
    return int(amount.scaleb(2))
