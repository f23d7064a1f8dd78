"""What is said of the cases, checked on the finished rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.families.accounting_assistant.record import read_case, to_cents
from pipeline.families.accounting_assistant.solve import solve
from pipeline.families.audit_plan import Claim, TotalClaim
from pipeline.families.base import Grade, Item, Row

_AMOUNT = re.compile(r"(0|[1-9]\d*)\.\d\d")
_IDS = ("outstanding_deposit_ids", "unpresented_payment_ids", "duplicate_invoice_ids")
_ENTRIES = ("bank_fee_entry_amount", "interest_entry_amount")
_ADDS = ("deposit", "interest")
_FEWEST_FINDINGS = 3
_MOST_LAZY, _MOST_LAZY_MEAN = 0.60, 0.30


def _rolls_forward(name: str, closing: str) -> Callable[[Item], Iterator[str]]:
    def check(item: Item) -> Iterator[str]:
        case = read_case(item.public)
        moved = sum(to_cents(line["amount"]) * (1 if line["type"] in _ADDS else -1) for line in case[name])
        if to_cents(case["opening_cash"]) + moved != to_cents(case[closing]):
            yield f"{closing} is {case[closing]}"

    return check


def _unique(item: Item) -> Iterator[str]:
    case = read_case(item.public)
    for name, keys in (("ledger", ("id", "ref")), ("bank_statement", ("id", "ref")), ("ap_invoices", ("invoice_id",))):
        for key in keys:
            if len({line[key] for line in case[name]}) < len(case[name]):
                yield f"a {key} stands twice in {name}"


def _amounts(item: Item) -> Iterator[str]:
    case = read_case(item.public)
    amounts = [line["amount"] for name in ("ledger", "bank_statement", "ap_invoices") for line in case[name]]
    for amount in amounts:
        if not _AMOUNT.fullmatch(amount) or not to_cents(amount):
            yield f"amount {amount}"


def _dates(item: Item) -> Iterator[str]:
    case = read_case(item.public)
    for name in ("ledger", "bank_statement", "ap_invoices"):
        for line in case[name]:
            if line["date"][:7] != item.public["period"]:
                yield f"{name} has the date {line['date']}"


def _solved(item: Item) -> Iterator[str]:
    found = solve(item.public)
    yield from (f"{key}: {item.truth[key]}, solved {value}" for key, value in found.items() if item.truth[key] != value)


def _status(item: Item) -> Iterator[str]:
    equal = item.truth["adjusted_book_balance"] == item.truth["adjusted_bank_balance"]
    if equal != (item.truth["reconciliation_status"] == "reconciled"):
        yield f"{item.truth['reconciliation_status']}, and the adjusted balances are {'' if equal else 'not '}equal"


def _findings(item: Item) -> Iterator[str]:
    filled = sum(bool(item.truth[key]) for key in _IDS) + sum(item.truth[key] != "0.00" for key in _ENTRIES)
    if filled < _FEWEST_FINDINGS:
        yield f"{filled} findings are not empty"


def _prompt(item: Item) -> Iterator[str]:
    if not item.public["prompt"].endswith(item.public["case"]):
        yield "the prompt does not end with the record"
    if json.dumps(read_case(item.public), separators=(",", ":"), ensure_ascii=False) != item.public["case"]:
        yield "the record is no canonical JSON"


CLAIMS = (
    Claim(
        "ledger", "Ledger closing is opening and the signed ledger.", _rolls_forward("ledger", "ledger_closing_balance")
    ),
    Claim(
        "statement",
        "Bank closing is opening and the signed statement.",
        _rolls_forward("bank_statement", "bank_closing_balance"),
    ),
    Claim("ids", "Ids and refs are unique in their lists.", _unique),
    Claim("amounts", "Amounts are above zero and have two decimals.", _amounts),
    Claim("dates", "Every date is within the period.", _dates),
    Claim("status", "Reconciled if and only if the adjusted balances are equal.", _status),
    Claim("findings", "At least three of the five findings are not empty.", _findings),
    Claim("definitions", "The definitions in the prompt lead to the truth, solved from the record alone.", _solved),
    Claim("prompt", "The record is canonical JSON and stands at the end of the prompt.", _prompt),
)


def lazy_claims(
    grade: Callable[[Item, str], Mapping[str, Grade]], guesses: Callable[[Row], Mapping[str, str]]
) -> tuple[Claim, TotalClaim]:
    """Return what is said of lazy answers, as claims.

    Args:
        grade: grades an answer.
        guesses: the lazy answers of a row.
    """

    def scores(item: Item) -> dict[str, float]:
        return {name: grade(item, text)["exact"].score for name, text in guesses(item.public).items()}

    def at_most(item: Item) -> Iterator[str]:
        yield from (f"{name} scores {score}" for name, score in scores(item).items() if score > _MOST_LAZY)

    def on_average(items: Sequence[Item]) -> Iterator[str]:
        columns: dict[str, list[float]] = {}
        for item in items:
            for name, score in scores(item).items():
                columns.setdefault(name, []).append(score)
        for name, column in columns.items():
            if sum(column) / len(column) > _MOST_LAZY_MEAN:
                yield f"{name} scores {sum(column) / len(column):.3f} on average"

    return (
        Claim("lazy answer", "No lazy answer scores more than 0.60.", at_most),
        TotalClaim("lazy floor", "No lazy answer scores more than 0.30 on average.", on_average),
    )


def both_statuses(items: Sequence[Item]) -> Iterator[str]:
    """Check that a split has cases of both statuses."""
    found: set[Any] = {item.truth["reconciliation_status"] for item in items}
    if found != {"reconciled", "unreconciled"}:
        yield f"only {', '.join(sorted(found))}"


TOTALS = (TotalClaim("both statuses", "Every split has reconciled and unreconciled cases.", both_statuses),)
