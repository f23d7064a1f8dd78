"""Makes the two rows of one key.

The stream of a row depends on the family, the major data version, the split and the key. The minor and the patch
number stay out of it: by their definition they do not change a row.
"""

from __future__ import annotations

import hashlib
from calendar import monthrange

import orjson

from pipeline.errors import UsageError
from pipeline.families.accounting_assistant.cash import draw_cash
from pipeline.families.accounting_assistant.invariants import check_case
from pipeline.families.accounting_assistant.invoices import draw_invoices
from pipeline.families.accounting_assistant.plan import draw_plan
from pipeline.families.accounting_assistant.prompt import SYSTEM, render_prompt
from pipeline.families.base import Item, Key, Row
from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.money import format_cents
from pipeline.seeds import MAX_SEED

NAME = "accounting_assistant"
STREAM_VERSION = "1"
FIRST_YEAR, YEARS = 2024, 3


def generate(split: str, key: Key) -> Item:
    """Make the public row and the truth row of a key.

    Args:
        split: the split that the rows belong to; other splits have other rows under the same key.
        key: a seed, 0 … 2^63-1, or any secret text, in which case the rows carry no `seed`.

    Raises:
        UsageError: the key is neither.
        InvariantBroken: the case contradicts the rules of the family.
    """
    head = _head(split, key)
    rng = KeyedRandom(NAME, STREAM_VERSION, split, key)
    plan = draw_plan(rng)
    year, month = FIRST_YEAR + rng.below(YEARS), 1 + rng.below(12)
    period, days = f"{year}-{month:02d}", monthrange(year, month)[1]
    cash = draw_cash(rng, plan, period, days)
    invoices, duplicates = draw_invoices(rng, plan, period, days)

    case = {
        "currency": "USD",
        "opening_cash": format_cents(cash.opening),
        "ledger_closing_balance": format_cents(cash.ledger_closing),
        "bank_closing_balance": format_cents(cash.bank_closing),
        "ledger": cash.ledger,
        "bank_statement": cash.statement,
        "ap_invoices": invoices,
    }
    answer = {
        "adjusted_book_balance": format_cents(cash.ledger_closing - cash.fees + cash.interest),
        "adjusted_bank_balance": format_cents(cash.bank_closing + cash.outstanding - cash.unpresented),
        "outstanding_deposit_ids": cash.outstanding_ids,
        "unpresented_payment_ids": cash.unpresented_ids,
        "duplicate_invoice_ids": duplicates,
        "bank_fee_entry_amount": format_cents(cash.fees),
        "interest_entry_amount": format_cents(cash.interest),
        "reconciliation_status": "unreconciled" if cash.difference else "reconciled",
    }
    check_case(case, answer, plan, cash.difference)
    text = orjson.dumps(case).decode()  # canonical JSON, like the rows themselves
    public = {**head, "period": period, "system": SYSTEM, "prompt": render_prompt(period, text), "case": text}
    return Item(public=public, truth={**head, **answer})


def _head(split: str, key: Key) -> Row:
    """Name a row. The name of a secret text is a digest of it, so that it can be told and the text cannot."""
    if isinstance(key, str):
        try:
            digest = hashlib.sha256(f"{NAME}|id|{split}|{key}".encode()).hexdigest()
        except UnicodeEncodeError:
            raise UsageError("the key is not valid Unicode text; use another one") from None
        return {"id": f"acct-t{digest[:16]}", "split": split}
    if not 0 <= key <= MAX_SEED:
        raise UsageError(f"seed {key} is not within 0 … 2^63-1; use another one")
    return {"id": f"acct-{key}", "seed": key, "split": split}
