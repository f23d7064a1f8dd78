"""The books of a world as an agent sees them: amounts in cents, documents and entries by what they belong to.

Nothing here reads `seed`, `mode` or an id of the row, so that it fits every edition of the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pipeline.families.base import Row

MONTHS = range(1, 12)
"""The months of the year up to the closing one."""

_AMOUNT = re.compile(r"(?<![\d.])(\d+)\.(\d\d)(?![\d.])")


def to_cents(text: str) -> int:
    """Read an amount with two decimals, as every ledger line has it."""
    units, _, decimals = text.partition(".")
    return int(units) * 100 + int(decimals)


def amounts_in(text: str) -> list[int]:
    """Return every number with two decimals in a text, in cents, in order."""
    return [int(found[1]) * 100 + int(found[2]) for found in _AMOUNT.finditer(text)]


@dataclass(frozen=True, slots=True)
class Entry:
    """A journal entry; `debits` and `credits` are cents by account."""

    eid: str
    date: str
    ref: str
    source: str
    debits: Mapping[str, int]
    credits: Mapping[str, int]

    @property
    def month(self) -> int:
        """The month of its date."""
        return int(self.date[5:7])

    @property
    def total(self) -> int:
        """The total of its debits, in cents."""
        return sum(self.debits.values())

    @property
    def prefix(self) -> str:
        """The letters that its ref begins with; empty without a ref."""
        return prefix(self.ref)


def prefix(name: str) -> str:
    """Return the letters that a ref or the id of a document begins with: what it is about."""
    return re.split(r"[^A-Za-z]", name, maxsplit=1)[0]


@dataclass(frozen=True)
class Books:
    """The books of one public row."""

    row: Row

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """Every entry, in the order in which the agent's journal prints them."""
        return [_entry(entry) for entry in self.row["entries"]]

    @property
    def documents(self) -> Sequence[Mapping[str, Any]]:
        """Every document, in the order in which the agent's list prints them."""
        documents: Sequence[Mapping[str, Any]] = self.row["documents"]
        return documents

    @property
    def end(self) -> str:
        """The last day of the period."""
        return str(self.row["period"]["end"])

    @cached_property
    def closing(self) -> Sequence[Entry]:
        """The entries of the closing month, in the same order."""
        start = self.row["period"]["start"]
        return [entry for entry in self.entries if start <= entry.date <= self.end]

    @cached_property
    def _by_prefix(self) -> Mapping[str, Mapping[str, Any]]:
        return {prefix(document["doc_id"]): document for document in self.documents}

    def document(self, about: str) -> Mapping[str, Any] | None:
        """Return the document whose id begins with these letters, the last one if there are several."""
        return self._by_prefix.get(about)

    def amount(self, about: str) -> int | None:
        """Return the first amount in the body of a document, in cents; None without document or amount."""
        document = self.document(about)
        found = amounts_in(document["body"]) if document else []
        return found[0] if found else None

    def of(self, about: str) -> Iterator[Entry]:
        """Yield the entries of the closing month whose ref begins with these letters."""
        return (entry for entry in self.closing if entry.prefix == about)

    @cached_property
    def _series(self) -> Mapping[tuple[str, int], Entry]:
        return {(entry.prefix, entry.month): entry for entry in self.entries}

    def in_month(self, about: str, month: int) -> Entry | None:
        """Return the entry of a monthly series, the last one of the month; None where the series has a gap."""
        return self._series.get((about, month))

    def cost_of_sales(self, month: int) -> int:
        """Return what was moved from inventory to cost of sales in a month, in cents."""
        return sum(
            entry.total
            for entry in self.entries
            if entry.month == month and "5000" in entry.debits and "1200" in entry.credits
        )

    def balance(self, account: str) -> int:
        """Return debits less credits of an account over all entries, in cents."""
        return sum(entry.debits.get(account, 0) - entry.credits.get(account, 0) for entry in self.entries)


def _entry(entry: Mapping[str, Any]) -> Entry:
    sides: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for line in entry["lines"]:
        for side, name in zip(sides, ("debit", "credit"), strict=True):
            if cents := to_cents(line[name]):
                side[line["account"]] = side.get(line["account"], 0) + cents
    return Entry(entry["eid"], entry["date"], entry["ref"], entry["source"], *sides)
