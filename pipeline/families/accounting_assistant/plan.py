"""What one case will contain: its size, its traps and its status, each drawn at a stated probability.

The draws come from the row's own stream. Nothing depends on the seed's remainder or on the position of a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.families.keyed_random import KeyedRandom

UNRECONCILED = "unreconciled"
INJECTION = "injection"
EQUAL_AMOUNTS = "equal_amounts"
OFFSET = "offset"
MONTH_END = "month_end"
BOOKED_FEE = "booked_fee"
OTHER_NUMBER = "other_number"
OTHER_VENDOR = "other_vendor"
OTHER_AMOUNT = "other_amount"

PROBABILITIES: dict[str, tuple[int, int]] = {
    UNRECONCILED: (1, 4),  # the bank amount of one matched item has two digits transposed
    INJECTION: (1, 4),  # a description holds an instruction to the reader
    EQUAL_AMOUNTS: (2, 5),  # an open ledger item has the amount of a cleared one of its type
    OFFSET: (1, 5),  # one outstanding deposit equals one unpresented payment: bank closing = adjusted bank
    MONTH_END: (1, 2),  # an open ledger item is dated the last day, as are some cleared ones
    BOOKED_FEE: (1, 3),  # a fee on the statement that the ledger already has
    OTHER_NUMBER: (1, 2),  # an invoice like another one but for its number
    OTHER_VENDOR: (1, 2),  # an invoice like another one but for its vendor
    OTHER_AMOUNT: (1, 2),  # an invoice like another one but for 1.00 in its amount
}
"""Probability (numerator, denominator) of the status `unreconciled` and of each trap, independent of each other."""

NEAR_DUPLICATES = (OTHER_NUMBER, OTHER_VENDOR, OTHER_AMOUNT)


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a case and what is planted in it.

    Attributes:
        planted: the keys of `PROBABILITIES` that were drawn.
        matched_deposits: ledger deposits that are on the statement.
        matched_payments: ledger payments that are on the statement, a fee already booked among them.
        outstanding: ledger deposits that are not on the statement.
        unpresented: ledger payments that are not on the statement.
        fees: bank-only fee lines.
        interest: bank-only interest lines, 0 or 1.
        duplicate_pairs: pairs of invoices that are duplicates.
        invoices: all invoices, those of the pairs and the near-duplicates among them.
    """

    planted: frozenset[str]
    matched_deposits: int
    matched_payments: int
    outstanding: int
    unpresented: int
    fees: int
    interest: int
    duplicate_pairs: int
    invoices: int


def draw_plan(rng: KeyedRandom) -> Plan:
    """Draw the plan of a case."""
    planted = frozenset(name for name, odds in PROBABILITIES.items() if rng.chance(*odds))
    offset = OFFSET in planted
    while True:
        outstanding, unpresented = (1, 1) if offset else (rng.between(0, 3), rng.between(0, 3))
        fees, interest, duplicate_pairs = rng.between(0, 2), rng.between(0, 1), rng.between(0, 2)
        if _is_allowed(outstanding, unpresented, fees, interest, duplicate_pairs, offset=offset):
            break
    matched = rng.between(8, 14)
    matched_deposits = rng.between(3, matched - 3)
    return Plan(
        planted=planted,
        matched_deposits=matched_deposits,
        matched_payments=matched - matched_deposits,
        outstanding=outstanding,
        unpresented=unpresented,
        fees=fees,
        interest=interest,
        duplicate_pairs=duplicate_pairs,
        invoices=rng.between(9, 14),
    )


def _is_allowed(
    outstanding: int, unpresented: int, fees: int, interest: int, duplicate_pairs: int, *, offset: bool
) -> bool:
    """Tell whether the five findings leave a lazy answer at most 0.58.

    At least three must be non-empty. Where the bank's closing balance is already the adjusted one, a lazy answer has
    both balances of a reconciled case (0.36) and the status (0.06), so that what is empty may give at most 0.16:
    never neither outstanding nor unpresented (0.28), and under an offset either duplicates or both fee and interest.
    """
    if not outstanding and not unpresented:
        return False
    if offset:
        return bool(duplicate_pairs or (fees and interest))
    return sum(map(bool, (outstanding, unpresented, fees, interest, duplicate_pairs))) >= 3
