"""What the card of reconcile_ledger says of its rows, computed from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pipeline.families.base import Item


def card_facts(items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
    """Count transactions and discrepancies.

    Returns:
        ``transactions`` and ``discrepancies`` of a scenario as text, ``first_period`` and ``last_period``, and
        ``types``: for each type how many there are in all, and the fewest and most in a scenario.
    """
    transactions: set[int] = set()
    planted: set[int] = set()
    periods: list[str] = []
    by_type: dict[str, list[int]] = {}
    for _, item in items:
        transactions.add(item.public["bank_csv"].count("\n"))  # a header line, and no line end after the last row
        planted.add(len(item.truth["discrepancies"]))
        periods.append(item.public["period"])
        for kind, count in Counter(found["type"] for found in item.truth["discrepancies"]).items():
            by_type.setdefault(kind, []).append(count)
    return {
        "transactions": " or ".join(map(str, sorted(transactions))),
        "discrepancies": " or ".join(map(str, sorted(planted))),
        "first_period": min(periods),
        "last_period": max(periods),
        "types": [
            {"type": kind, "total": sum(counts), "fewest": min(counts), "most": max(counts)}
            for kind, counts in sorted(by_type.items())
        ],
    }
