"""The form of a case and of its lines, for the probe: place, digits of ids and refs, type, words, amounts, counts.

Nothing compares two lists, and nothing compares two lines: that is reconciling.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.families.accounting_assistant.record import Line, lines, read_case, to_cents
from pipeline.families.audit_plan import Feature, Subject
from pipeline.families.base import Row

_BALANCES = ("opening_cash", "ledger_closing_balance", "bank_closing_balance")


def subjects(row: Row) -> Iterator[Subject]:
    """Describe every line that something may be planted in, then the case."""
    case = read_case(row)
    for line in lines(case):
        yield Subject(line.id, dict(_of_line(line)))
    yield Subject("", dict(_of_case(case)))


def _of_line(line: Line) -> Iterator[tuple[str, Feature]]:
    yield "rank", line.place / len(line.listed)
    yield from _digits("id", line.id)
    yield from _digits("ref", line.ref)
    yield "day", line.day
    yield "keys", frozenset([" ".join(line.content)])
    words = line.content.get("description", line.content.get("vendor", ""))
    yield "words", frozenset([words.partition(" - ")[0][:24]])
    yield "length of words", len(words)
    yield from _amount("amount", line.cents)


def _of_case(case: Mapping[str, Any]) -> Iterator[tuple[str, Feature]]:
    for name in ("ledger", "bank_statement"):
        for kind, count in Counter(line["type"] for line in case[name]).items():
            yield f"{name}: {kind} lines", count
    yield "invoices", len(case["ap_invoices"])
    for name in _BALANCES:
        yield from _amount(name, to_cents(case[name]))


def _digits(name: str, text: str) -> Iterator[tuple[str, Feature]]:
    for place, digit in enumerate(filter(str.isdigit, text), 1):
        yield f"{name}, digit {place}", float(digit)


def _amount(name: str, cents: int) -> Iterator[tuple[str, Feature]]:
    yield f"{name}, leading digit", float(str(cents)[0])
    yield f"{name}, last digit", float(cents % 10)
    yield f"{name}, magnitude", math.log10(cents)
