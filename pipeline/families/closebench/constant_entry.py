"""One entry that fits every world: each amount that the generator can draw, on both sides of its kind's fix.

The published grader looks for a line on either side and ignores the rest of the entry, so that this entry, which
reads nothing of the books, settles any one error. Posted as often as there are errors it settles them all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

DATE = "2026-11-30"
"""The last day of the period that every world closes."""

_PAYROLL = sorted({daily * days for daily in range(3600, 4400, 40) for days in (3, 5, 6)})  # days after the 25th

_WHOLE_AMOUNTS: tuple[tuple[str, str, list[int]], ...] = (
    ("5000", "2000", [*range(40_000, 90_000, 1_000)]),  # unrecorded_invoice
    ("2000", "6300", [*range(15_000, 45_000, 500)]),  # duplicate_invoice
    ("1500", "6900", [*range(80_000, 260_000, 5_000)]),  # capex_expensed
    ("1300", "6500", [paid - paid // 12 for paid in range(60_000, 180_000, 12_000)]),  # prepaid_not_deferred
    ("4000", "2400", [*range(50_000, 140_000, 5_000)]),  # revenue_cutoff
    ("6900", "1000", [*range(1_500, 9_000, 50)]),  # unrecorded_bank_fee
    ("6100", "6300", [*range(20_000, 60_000, 1_000)]),  # misclassified_expense
    ("6900", "2500", [*range(30_000, 95_000, 1_000)]),  # intercompany_mismatch
    ("6600", "2100", [*range(10_000, 16_000, 500)]),  # missing_recurring
    ("6400", "1590", [*range(2_000, 4_000, 100), 4_000]),  # depreciation_prorata, depreciation_stopped
    ("1300", "6300", [3 * quarter for quarter in range(30_000, 80_000, 1_000)]),  # service_span_cutoff
    ("6000", "2200", _PAYROLL),  # payroll_cutoff
    ("2200", "6000", _PAYROLL),  # accrual_not_released
    ("6800", "1300", [*range(8_000, 14_000, 500)]),  # prepaid_amort_stopped
    ("1200", "2000", sorted({int(revenue * 0.42) for revenue in range(390_000, 455_000, 1_000)})),  # inventory
)
"""Debit account, credit account and amounts of each kind's fix."""

_REVALUATIONS = sorted({euros * cents for euros in range(800, 2_600, 100) for cents in range(150, 450)})
"""Amounts in cents of fx_revaluation (6700 against 2000)."""


@cache
def constant_answer(times: int) -> str:
    """Return the answer that posts the entry a number of times, the same for every world."""
    entry = {"date": DATE, "memo": "", "lines": list(_lines())}
    return json.dumps([entry] * times, separators=(",", ":"))


def _lines() -> Iterator[dict[str, str]]:
    whole = ((debit, credit, f"{amount}.00") for debit, credit, amounts in _WHOLE_AMOUNTS for amount in amounts)
    cents = (("6700", "2000", f"{amount // 100}.{amount % 100:02d}") for amount in _REVALUATIONS)
    for debit, credit, amount in (*whole, *cents):
        yield {"account": debit, "debit": amount}
        yield {"account": credit, "credit": amount}
