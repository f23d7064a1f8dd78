"""What must hold for every case, checked on the finished rows before they leave the generator."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pipeline.families.accounting_assistant.plan import BOOKED_FEE, OFFSET, UNRECONCILED, Plan


class InvariantBroken(AssertionError):
    """The generator made a case that contradicts its own rules: a defect of the generator, never of the seed."""


def check_case(case: dict[str, Any], answer: dict[str, Any], plan: Plan, difference: int) -> None:
    """Check a finished case against its plan.

    Args:
        case: the record, amounts as texts.
        answer: the eight keys of the truth.
        plan: what the case was to contain.
        difference: what was planted between the adjusted balances, in cents.

    Raises:
        InvariantBroken: naming the rule.
    """
    ledger, statement, invoices = case["ledger"], case["bank_statement"], case["ap_invoices"]
    opening = _cents(case["opening_cash"])
    ledger_closing, bank_closing = _cents(case["ledger_closing_balance"]), _cents(case["bank_closing_balance"])
    book, bank = _cents(answer["adjusted_book_balance"]), _cents(answer["adjusted_bank_balance"])
    fees, interest = _cents(answer["bank_fee_entry_amount"]), _cents(answer["interest_entry_amount"])
    status = answer["reconciliation_status"]

    _require(ledger_closing == opening + _signed_sum(ledger), "ledger closing = opening + ledger lines")
    _require(bank_closing == opening + _signed_sum(statement), "bank closing = opening + statement lines")
    _require(bank - book == difference, "adjusted bank - adjusted book = planted difference")
    _require((status == "reconciled") == (difference == 0), "reconciled if and only if nothing was planted")
    _require((difference != 0) == (UNRECONCILED in plan.planted), "a difference if and only if it was drawn")
    _require((bank == bank_closing) == (OFFSET in plan.planted), "bank closing is adjusted bank only under an offset")
    _require(min(opening, ledger_closing, bank_closing, book, bank) > 0, "balances are above zero")
    _require(fees != interest or fees == 0, "fees and interest do not cancel")

    ledger_refs, bank_refs = {row["ref"] for row in ledger}, {row["ref"] for row in statement}
    _require(len(ledger_refs) == len(ledger), "every ref is unique in the ledger")
    _require(len(bank_refs) == len(statement), "every ref is unique on the statement")
    for rows, key in ((ledger, "id"), (statement, "id"), (invoices, "invoice_id")):
        _require(len({row[key] for row in rows}) == len(rows), f"every {key} is unique in its list")
    for invoice in invoices:
        _positive(invoice["amount"])

    matched = ledger_refs & bank_refs
    _require(len(matched) == plan.matched_deposits + plan.matched_payments, "matched items as planned")
    _require(len(statement) == len(matched) + plan.fees + plan.interest, "bank-only lines as planned")
    booked = sum(row["type"] == "fee" and row["ref"] in matched for row in statement)
    _require(booked == (BOOKED_FEE in plan.planted), "a fee is in both lists if and only if it was drawn")
    _require(len(answer["outstanding_deposit_ids"]) == plan.outstanding, "outstanding deposits as planned")
    _require(len(answer["unpresented_payment_ids"]) == plan.unpresented, "unpresented payments as planned")

    alike = Counter((row["vendor"], row["invoice_number"], row["amount"]) for row in invoices)
    _require(max(alike.values()) <= 2, "never three invoices alike")
    _require(sum(count == 2 for count in alike.values()) == plan.duplicate_pairs, "duplicate pairs as planned")
    _require(len(answer["duplicate_invoice_ids"]) == 2 * plan.duplicate_pairs, "both members of a pair are reported")
    _require(len(invoices) == plan.invoices, "invoices as planned")


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise InvariantBroken(f"accounting_assistant made a case against its rule: {rule}")


def _cents(text: str) -> int:
    """Read an amount back from its text, which must have exactly two decimals."""
    if text[-3:-2] != ".":
        raise InvariantBroken(f"accounting_assistant wrote an amount without two decimals: {text!r}")
    return int(text[:-3] + text[-2:])


def _positive(text: str) -> int:
    cents = _cents(text)
    _require(cents > 0, "amounts are above zero")
    return cents


def _signed_sum(rows: list[dict[str, str]]) -> int:
    return sum(_positive(row["amount"]) * (1 if row["type"] in ("deposit", "interest") else -1) for row in rows)
