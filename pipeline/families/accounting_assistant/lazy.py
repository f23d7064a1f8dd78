"""The answers of an agent that did not do the work; their scores are published as the floor of the task."""

from __future__ import annotations

import json
from itertools import product

from pipeline.families.base import Row


def lazy_answers(public: Row) -> dict[str, str]:
    """Guess from the two closing balances alone.

    Each adjusted balance is one of the two closing balances, nothing is outstanding, duplicate or to be booked, and
    the status is either. The guess with the best mean over the rows is the lazy floor.

    Args:
        public: a row of `cases`.

    Returns:
        Eight raw answers by name, for example ``book=ledger,bank=bank,status=reconciled``.
    """
    record = json.loads(public["case"])
    closing = {"ledger": record["ledger_closing_balance"], "bank": record["bank_closing_balance"]}
    return {
        f"book={book},bank={bank},status={status}": json.dumps(
            {
                "adjusted_book_balance": closing[book],
                "adjusted_bank_balance": closing[bank],
                "outstanding_deposit_ids": [],
                "unpresented_payment_ids": [],
                "duplicate_invoice_ids": [],
                "bank_fee_entry_amount": "0.00",
                "interest_entry_amount": "0.00",
                "reconciliation_status": status,
            }
        )
        for book, bank, status in product(closing, closing, ("reconciled", "unreconciled"))
    }
