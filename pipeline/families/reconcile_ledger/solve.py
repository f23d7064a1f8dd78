"""Solves a scenario from its public row alone. It shares no code and no constant with the generator."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any


def solve(public: Mapping[str, Any]) -> dict[str, Any]:
    """Derive the truth row from a public row.

    Args:
        public: a row of the config ``scenarios``; only its names and its two CSV texts are read.

    Raises:
        ValueError: the texts do not fit the task: a ledger row without a bank transaction, or a transaction that
            differs from its ledger rows in more than one way.
    """
    ledger: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for row in _records(public["gl_csv"]):
        ledger[row["txn_ref"]].append(row)

    discrepancies = []
    for transaction in _records(public["bank_csv"]):
        differences = _differences(transaction, ledger.pop(transaction["txn_ref"], []))
        if len(differences) > 1:
            raise ValueError(f"{transaction['txn_id']} has several discrepancies: {', '.join(differences)}")
        discrepancies += [{"txn_id": transaction["txn_id"], "type": difference} for difference in differences]
    if ledger:
        raise ValueError(f"ledger rows without a bank transaction: {', '.join(sorted(ledger))}")

    names = {name: public[name] for name in ("id", "seed") if name in public}
    return {**names, "discrepancies": sorted(discrepancies, key=lambda found: found["txn_id"])}


def _differences(transaction: Mapping[str, str], entries: list[dict[str, str]]) -> list[str]:
    if not entries:
        return ["missing_in_gl"]
    differences = []
    if len(entries) > 1:
        differences.append("duplicate_in_gl")
    if any(Decimal(entry["amount"]) != Decimal(transaction["amount"]) for entry in entries):
        differences.append("amount_mismatch")
    if any(entry["date"] != transaction["date"] for entry in entries):
        differences.append("date_drift")
    return differences


def _records(text: str) -> Iterator[dict[str, str]]:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns = next(lines)
    for line in lines:
        yield dict(zip(columns, line, strict=True))
