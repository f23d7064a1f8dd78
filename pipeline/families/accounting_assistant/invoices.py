"""Draws the accounts-payable register: ordinary invoices, duplicate pairs and near-duplicates that are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.families.accounting_assistant.plan import (
    NEAR_DUPLICATES,
    OTHER_AMOUNT,
    OTHER_NUMBER,
    OTHER_VENDOR,
    Plan,
)
from pipeline.families.accounting_assistant.wording import VENDORS
from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.money import format_cents

MIN_AMOUNT, MAX_AMOUNT = 80_00, 9_500_00
SAME_DATE = (1, 3)
"""Probability that a copy, be it a duplicate or a near-duplicate, keeps the date of its original."""


@dataclass(slots=True)
class _Invoice:
    """An invoice before the shuffle; not frozen, as that doubles the time of making one."""

    vendor: str
    number: str
    amount: int
    day: int
    duplicate: bool = False


def draw_invoices(rng: KeyedRandom, plan: Plan, period: str, days: int) -> tuple[list[dict[str, str]], list[str]]:
    """Draw the register of a month.

    Args:
        rng: the stream of the row.
        plan: how many invoices, and what is planted among them.
        period: the month, ``YYYY-MM``.
        days: how many days it has.

    Returns:
        The rows of the register in shuffled order, and the sorted ids of both members of every duplicate pair.
    """
    near = [kind for kind in NEAR_DUPLICATES if kind in plan.planted]
    used: set[str] = set()
    originals = [
        _Invoice(
            vendor=rng.choice(VENDORS),
            number=_draw_number(rng, used),
            amount=rng.between(MIN_AMOUNT, MAX_AMOUNT),
            day=rng.between(1, days),
        )
        for _ in range(plan.invoices - plan.duplicate_pairs - len(near))
    ]
    # A near-duplicate may imitate a member of a pair too, so that "has a lookalike" says nothing about a pair.
    copies = [_redate(rng, _imitate(rng, kind, rng.choice(originals), used), days) for kind in near]
    for index in rng.sample(range(len(originals)), plan.duplicate_pairs):
        originals[index].duplicate = True
        copies.append(_redate(rng, replace(originals[index]), days))

    rows, duplicates = [], []
    for position, invoice in enumerate(rng.shuffled(originals + copies), start=1):
        invoice_id = f"AP-{position:02d}"
        if invoice.duplicate:
            duplicates.append(invoice_id)
        rows.append(
            {
                "invoice_id": invoice_id,
                "vendor": invoice.vendor,
                "invoice_number": invoice.number,
                "date": f"{period}-{invoice.day:02d}",
                "amount": format_cents(invoice.amount),
            }
        )
    return rows, duplicates


def _draw_number(rng: KeyedRandom, used: set[str]) -> str:
    while (number := str(rng.between(10_000, 99_999))) in used:
        pass
    used.add(number)
    return number


def _imitate(rng: KeyedRandom, kind: str, original: _Invoice, used: set[str]) -> _Invoice:
    """Copy an invoice but for one of the three fields that make a duplicate."""
    if kind == OTHER_NUMBER:
        return replace(original, number=_draw_number(rng, used))
    if kind == OTHER_VENDOR:
        return replace(original, vendor=rng.choice([vendor for vendor in VENDORS if vendor != original.vendor]))
    if kind == OTHER_AMOUNT:
        return replace(original, amount=original.amount + rng.choice((-1_00, 1_00)))
    raise ValueError(f"{kind!r} is no kind of near-duplicate")


def _redate(rng: KeyedRandom, copy: _Invoice, days: int) -> _Invoice:
    if not rng.chance(*SAME_DATE):
        copy.day = rng.between(1, days)
    return copy
