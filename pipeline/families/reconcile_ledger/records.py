"""What a scenario is made of, before it becomes CSV text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

MISSING = "missing_in_gl"
DUPLICATE = "duplicate_in_gl"
MISMATCH = "amount_mismatch"
DRIFT = "date_drift"
TYPES = (MISSING, DUPLICATE, MISMATCH, DRIFT)

TRANSACTIONS = 200
DISCREPANCIES = 12


class Entry(NamedTuple):
    """One line of the bank feed or of the general ledger, without its id: ids follow from the order of the lines.

    A tuple and not a dataclass, because it is made four hundred times a scenario.

    Attributes:
        ref: the reference that both sides share.
        date: value date at the bank, or posting date in the ledger.
        cents: signed amount, never zero.
        description: free text.
    """

    ref: str
    date: date
    cents: int
    description: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """One month.

    Attributes:
        tag: the part of every id that tells this scenario from others.
        first_day: the first day of the month.
        bank: the bank feed in its order, by date.
        ledger: the general ledger extract in its order, shuffled.
        planted: the type of each discrepancy by the position of its transaction in `bank`.
    """

    tag: str
    first_day: date
    bank: tuple[Entry, ...]
    ledger: tuple[Entry, ...]
    planted: Mapping[int, str]

    @property
    def id(self) -> str:
        """The name of the row."""
        return f"reconcile-{self.tag}"

    @property
    def period(self) -> str:
        """The month as ``2025-01``."""
        return f"{self.first_day:%Y-%m}"

    def txn_id(self, position: int) -> str:
        """Name the bank transaction at a position of `bank`."""
        return f"BNK-{self.tag}-{position + 1:04d}"

    def gl_id(self, position: int) -> str:
        """Name the ledger row at a position of `ledger`."""
        return f"GL-{self.tag}-{position + 1:04d}"
