"""What the card of accounting_assistant says of its rows, computed from them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pipeline.families.base import Item

FINDINGS = (
    "outstanding_deposit_ids",
    "unpresented_payment_ids",
    "duplicate_invoice_ids",
    "bank_fee_entry_amount",
    "interest_entry_amount",
)
"""The answer keys that may have nothing to report."""


def card_facts(items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
    """Count, by split, the cases that have something to report under each key, and the unreconciled ones.

    Returns:
        ``splits``: a row each with ``split``, ``cases``, ``unreconciled``, the range of ``ledger`` lines, ``bank``
        lines and ``invoices``, and a count for each of `FINDINGS`.
    """
    splits: dict[str, dict[str, Any]] = {}
    for split, item in items:
        record = json.loads(item.public["case"])
        counts = splits.setdefault(
            split,
            {"cases": 0, "unreconciled": 0, "ledger": [], "bank": [], "invoices": [], **dict.fromkeys(FINDINGS, 0)},
        )
        counts["cases"] += 1
        counts["unreconciled"] += item.truth["reconciliation_status"] == "unreconciled"
        for name, key in (("ledger", "ledger"), ("bank", "bank_statement"), ("invoices", "ap_invoices")):
            counts[name].append(len(record[key]))
        for key in FINDINGS:
            counts[key] += item.truth[key] not in ([], "0.00")
    for counts in splits.values():
        for name in ("ledger", "bank", "invoices"):
            counts[name] = f"{min(counts[name])} to {max(counts[name])}"
    return {"splits": [{"split": split, **counts} for split, counts in splits.items()]}
