"""The two tables of a scenario as an agent reads them, and what may be planted in each transaction."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.families.audit_plan import Question
from pipeline.families.base import Item, Row
from pipeline.families.reconcile_ledger.records import TYPES


@dataclass(frozen=True)
class Tables:
    """Bank feed and general ledger of a scenario, rows as texts in their order."""

    row: Row

    @cached_property
    def bank(self) -> Sequence[Mapping[str, str]]:
        """The bank feed."""
        return list(csv.DictReader(self.row["bank_csv"].split("\n")))

    @cached_property
    def ledger(self) -> Sequence[Mapping[str, str]]:
        """The general ledger."""
        return list(csv.DictReader(self.row["gl_csv"].split("\n")))

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """The places of the ledger rows of each reference."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, line in enumerate(self.ledger):
            found[line["txn_ref"]].append(place)
        return found

    @cached_property
    def uses(self) -> Mapping[str, int]:
        """How many transactions have each amount."""
        return Counter(line["amount"] for line in self.bank)

    @cached_property
    def anagrams(self) -> Mapping[str, int]:
        """How many references have each set of digits: two that are one transposition apart have the same."""
        return Counter("".join(sorted(line["txn_ref"])) for line in self.bank)


def to_cents(text: str) -> int:
    """Read a signed amount with two decimals."""
    return int(text.replace(".", ""))


def questions(item: Item) -> Iterator[Question]:
    """Ask of every transaction whether it has a discrepancy of each type."""
    planted = {found["txn_id"]: found["type"] for found in item.truth["discrepancies"]}
    for line in Tables(item.public).bank:
        for kind in TYPES:
            yield Question(kind, line["txn_id"], planted.get(line["txn_id"]) == kind)
