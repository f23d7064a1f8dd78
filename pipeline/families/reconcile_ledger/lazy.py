"""Answers that need no reconciliation, whose scores are published beside those of real ones."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_TYPES = ("missing_in_gl", "duplicate_in_gl", "amount_mismatch", "date_drift")


def lazy_answers(public: Mapping[str, Any]) -> dict[str, str]:
    """Guess without matching the two sides.

    Args:
        public: a row of the config ``scenarios``.

    Returns:
        The raw text of each answer by the name of its rule:

        - ``nothing``: no discrepancy at all;
        - ``all_missing``: every transaction as missing;
        - ``all_with_every_type``: every transaction with each of the four types, which is a recall of 1;
        - ``first_12_missing``: the first twelve transactions as missing;
        - ``first_12_types_in_turn``: the first twelve, each with the next type;
        - ``last_day_drift``: every transaction of the last day as a drift;
        - ``shared_amounts_duplicate``: every transaction whose amount another one has too as a duplicate;
        - ``unlisted_amounts_mismatch``: every transaction whose amount is nowhere in the ledger as a mismatch.
    """
    bank = list(csv.DictReader(public["bank_csv"].split("\n")))
    ledger_amounts = {row["amount"] for row in csv.DictReader(public["gl_csv"].split("\n"))}
    uses = Counter(row["amount"] for row in bank)
    ids = [row["txn_id"] for row in bank]
    missing, duplicate, mismatch, drift = _TYPES
    return {
        "nothing": _answer(()),
        "all_missing": _answer((txn_id, missing) for txn_id in ids),
        "all_with_every_type": _answer((txn_id, kind) for txn_id in ids for kind in _TYPES),
        "first_12_missing": _answer((txn_id, missing) for txn_id in ids[:12]),
        "first_12_types_in_turn": _answer(zip(ids[:12], _TYPES * 3, strict=True)),
        "last_day_drift": _answer((row["txn_id"], drift) for row in bank if row["date"] == bank[-1]["date"]),
        "shared_amounts_duplicate": _answer((row["txn_id"], duplicate) for row in bank if uses[row["amount"]] > 1),
        "unlisted_amounts_mismatch": _answer(
            (row["txn_id"], mismatch) for row in bank if row["amount"] not in ledger_amounts
        ),
    }


def _answer(pairs: Iterable[tuple[str, str]]) -> str:
    return json.dumps([{"txn_id": txn_id, "type": kind} for txn_id, kind in pairs], separators=(",", ":"))
