"""Solves a case as a reader of the prompt would: from the record alone, in decimals, by the definitions in it.

Nothing here is shared with the generator, and nothing beyond the standard library is needed, so that agreement
between the two says something about both.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any


def solve(public: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a case.

    Args:
        public: a row of `cases`; only `case` is read.

    Returns:
        The eight keys of the answer, amounts with two decimals, ids sorted.
    """
    record = json.loads(public["case"])
    ledger, statement = record["ledger"], record["bank_statement"]
    in_ledger = {line["ref"] for line in ledger}
    at_bank = {line["ref"] for line in statement}

    outstanding = [line for line in ledger if line["type"] == "deposit" and line["ref"] not in at_bank]
    unpresented = [line for line in ledger if line["type"] == "payment" and line["ref"] not in at_bank]
    bank_only = [line for line in statement if line["ref"] not in in_ledger]
    fees = _total(line for line in bank_only if line["type"] == "fee")
    interest = _total(line for line in bank_only if line["type"] == "interest")
    book = Decimal(record["ledger_closing_balance"]) - fees + interest
    bank = Decimal(record["bank_closing_balance"]) + _total(outstanding) - _total(unpresented)

    alike: defaultdict[tuple[str, str, Decimal], list[str]] = defaultdict(list)
    for invoice in record["ap_invoices"]:
        same = (invoice["vendor"], invoice["invoice_number"], Decimal(invoice["amount"]))
        alike[same].append(invoice["invoice_id"])

    return {
        "adjusted_book_balance": f"{book:.2f}",
        "adjusted_bank_balance": f"{bank:.2f}",
        "outstanding_deposit_ids": sorted(line["id"] for line in outstanding),
        "unpresented_payment_ids": sorted(line["id"] for line in unpresented),
        "duplicate_invoice_ids": sorted(one for ids in alike.values() if len(ids) > 1 for one in ids),
        "bank_fee_entry_amount": f"{fees:.2f}",
        "interest_entry_amount": f"{interest:.2f}",
        "reconciliation_status": "reconciled" if book == bank else "unreconciled",
    }


def _total(lines: Iterable[Mapping[str, str]]) -> Decimal:
    return sum((Decimal(line["amount"]) for line in lines), Decimal("0.00"))
