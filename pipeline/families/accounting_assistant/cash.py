"""Draws the cash side of a case: the ledger, the bank statement, and which ledger lines have not cleared.

Cleared and open ledger lines are drawn from the same ranges of amounts, dates, refs and words. What the traps do to
open lines is done to cleared ones too, about as often in proportion, so that neither an amount that occurs twice nor
a date on the last day tells an open line from a cleared one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.families.accounting_assistant import wording
from pipeline.families.accounting_assistant.plan import (
    BOOKED_FEE,
    EQUAL_AMOUNTS,
    INJECTION,
    MONTH_END,
    OFFSET,
    UNRECONCILED,
    Plan,
)
from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.money import format_cents

MIN_OPENING, MAX_OPENING = 5_000_00, 50_000_00
MIN_ITEM = 25_00
ITEM_SHARE = 24
"""No item is above opening / 24. So no balance is below zero: at most 14 payments, one of which the bank may have at
up to 4.8 times its amount, and 135.00 of fees come to less than any opening."""
MIN_FEE, MAX_FEE = 5_00, 45_00
MIN_INTEREST, MAX_INTEREST = 50, 90_00
MAX_DELAY = 3
"""Days from the ledger's date of a cleared item to the bank's, within the month."""

CLEARED_TWINS = (2, 3)
"""Probability that two cleared items of one type share an amount: offsets the trap `equal_amounts`."""
CLEARED_OPPOSITES = (7, 10)
"""Probability that a cleared deposit and a cleared payment share an amount: offsets the trap `offset`."""
OPEN_FEES = (2, 33)
"""Probability that an unpresented payment looks like a fee already booked: offsets the trap `booked_fee`.

A third of the cases have one such fee among 5.5 cleared payments on average, so that 2 of 33 cleared payments are fees.
"""
CLEARED_AT_MONTH_END = (3, 4)
"""How many cleared items (fewest, most) accompany an open one on the last day."""


@dataclass(frozen=True, slots=True)
class Cash:
    """The cash side of a case; all totals in cents.

    Attributes:
        opening: the balance that ledger and statement start from.
        ledger_closing: the balance that the ledger ends with.
        bank_closing: the balance that the statement ends with.
        ledger: rows of the ledger, in shuffled order.
        statement: rows of the bank statement, in shuffled order.
        outstanding_ids: sorted ledger ids of the outstanding deposits.
        unpresented_ids: sorted ledger ids of the unpresented payments.
        outstanding: total of the outstanding deposits.
        unpresented: total of the unpresented payments.
        fees: total of the bank-only fees.
        interest: total of the bank-only interest.
        difference: what was planted: adjusted bank balance less adjusted book balance.
    """

    opening: int
    ledger_closing: int
    bank_closing: int
    ledger: list[dict[str, str]]
    statement: list[dict[str, str]]
    outstanding_ids: list[str]
    unpresented_ids: list[str]
    outstanding: int
    unpresented: int
    fees: int
    interest: int
    difference: int


@dataclass(frozen=True, slots=True)
class _Amounts:
    """The amounts of the ledger items, in cents.

    Attributes:
        deposits, payments: those of cleared items.
        outstanding, unpresented: those of open items.
        open_fees: places among the unpresented payments that look like a fee.
        twin: the cleared item (type, index) whose amount an open one has.
    """

    deposits: list[int]
    payments: list[int]
    outstanding: list[int]
    unpresented: list[int]
    open_fees: frozenset[int]
    twin: tuple[str, int] | None


@dataclass(slots=True)
class _Line:
    """A line before the shuffle; `description` and `day` may still be changed by a trap."""

    kind: str
    ref: str
    amount: int
    day: int
    description: str
    is_open: bool = False


def draw_cash(rng: KeyedRandom, plan: Plan, period: str, days: int) -> Cash:
    """Draw ledger and statement of a month.

    Args:
        rng: the stream of the row.
        plan: how many lines of each sort, and what is planted among them.
        period: the month, ``YYYY-MM``.
        days: how many days it has.
    """
    opening = rng.between(MIN_OPENING, MAX_OPENING)
    amounts = _draw_amounts(rng, plan, opening // ITEM_SHARE)
    refs: set[str] = set()
    cleared, difference = _draw_cleared(rng, plan, amounts, days, refs)
    open_lines = _draw_open(rng, plan, amounts, days, refs)
    fees, interest = _draw_fees_and_interest(rng, plan)
    ledger = [book for book, _ in cleared] + open_lines
    statement = [bank for _, bank in cleared]
    for kind, values in (("fee", fees), ("interest", interest)):
        statement += [_bank_line(rng, kind, amount, rng.between(1, days), _draw_ref(rng, refs)) for amount in values]
    for line in statement:  # bank-only lines too, or a late fee would more often be one that is booked
        line.day = min(days, line.day + rng.between(0, MAX_DELAY))
    if INJECTION in plan.planted:
        line = rng.choice(ledger + statement)
        line.description = f"{line.description}. {rng.choice(wording.INJECTIONS)}"

    ledger = rng.shuffled(ledger)
    return Cash(
        opening=opening,
        ledger_closing=opening + _net(ledger),
        bank_closing=opening + _net(statement),
        ledger=_rows("GL", period, ledger),
        statement=_rows("BK", period, rng.shuffled(statement)),
        outstanding_ids=_open_ids(ledger, "deposit"),
        unpresented_ids=_open_ids(ledger, "payment"),
        outstanding=sum(amounts.outstanding),
        unpresented=sum(amounts.unpresented),
        fees=sum(fees),
        interest=sum(interest),
        difference=difference,
    )


def _draw_cleared(
    rng: KeyedRandom, plan: Plan, amounts: _Amounts, days: int, refs: set[str]
) -> tuple[list[tuple[_Line, _Line]], int]:
    """Draw the lines that stand in both lists, and what the bank has more than the ledger in them."""
    altered, altered_amount = _draw_transposition(rng, plan, amounts)
    cleared: list[tuple[_Line, _Line]] = []
    difference = 0
    for kind, values, sign in (("deposit", amounts.deposits, 1), ("payment", amounts.payments, -1)):
        for index, amount in enumerate(values):
            bank_amount = altered_amount if (kind, index) == altered else amount
            difference += sign * (bank_amount - amount)
            book = _ledger_line(rng, kind, amount, days, refs)
            cleared.append((book, _bank_line(rng, kind, bank_amount, book.day, book.ref)))
    if MONTH_END in plan.planted:
        for book, bank in rng.sample(cleared, rng.between(*CLEARED_AT_MONTH_END)):
            book.day = bank.day = days
    if BOOKED_FEE in plan.planted:
        book = _ledger_line(rng, "payment", rng.between(MIN_FEE, MAX_FEE), days, refs)
        book.description = rng.choice(wording.LEDGER_FEES)
        cleared.append((book, _bank_line(rng, "fee", book.amount, book.day, book.ref)))
    return cleared, difference


def _draw_open(rng: KeyedRandom, plan: Plan, amounts: _Amounts, days: int, refs: set[str]) -> list[_Line]:
    """Draw the ledger lines that are not on the statement."""
    payments = [_ledger_line(rng, "payment", amount, days, refs) for amount in amounts.unpresented]
    for place in amounts.open_fees:
        payments[place].description = rng.choice(wording.LEDGER_FEES)
    lines = [_ledger_line(rng, "deposit", amount, days, refs) for amount in amounts.outstanding] + payments
    for line in lines:
        line.is_open = True
    if MONTH_END in plan.planted:
        rng.choice(lines).day = days
    return lines


def _draw_amounts(rng: KeyedRandom, plan: Plan, highest: int) -> _Amounts:
    """Draw the amounts of all ledger items but a fee already booked, which has a range of its own."""
    ordinary_payments = plan.matched_payments - (BOOKED_FEE in plan.planted)
    deposits = [_draw_amount(rng, highest) for _ in range(plan.matched_deposits)]
    payments = [_draw_amount(rng, highest) for _ in range(ordinary_payments)]
    if rng.chance(*CLEARED_TWINS):
        values = rng.choice((deposits, payments))
        source, copy = rng.sample(range(len(values)), 2)
        values[copy] = values[source]
    if rng.chance(*CLEARED_OPPOSITES):
        payments[rng.below(len(payments))] = rng.choice(deposits)

    while True:
        outstanding = [_draw_amount(rng, highest) for _ in range(plan.outstanding)]
        open_fees = frozenset(place for place in range(plan.unpresented) if rng.chance(*OPEN_FEES))
        unpresented = [
            rng.between(MIN_FEE, MAX_FEE) if place in open_fees else _draw_amount(rng, highest)
            for place in range(plan.unpresented)
        ]
        twin: tuple[str, int] | None = None
        if EQUAL_AMOUNTS in plan.planted:
            copy = rng.below(len(outstanding) + len(unpresented))
            if copy < len(outstanding):
                twin = ("deposit", rng.below(len(deposits)))
                outstanding[copy] = deposits[twin[1]]
            else:
                twin = ("payment", rng.below(len(payments)))
                unpresented[copy - len(outstanding)] = payments[twin[1]]
                open_fees -= {copy - len(outstanding)}
        if OFFSET in plan.planted:
            if twin and twin[0] == "payment":
                outstanding[0] = unpresented[0]
            else:
                unpresented[0] = outstanding[0]
                open_fees -= {0}
        # Equal totals are the trap `offset`; by chance they would plant it where it was not drawn.
        if (OFFSET in plan.planted) == (sum(outstanding) == sum(unpresented)):
            return _Amounts(deposits, payments, outstanding, unpresented, open_fees, twin)


def _draw_amount(rng: KeyedRandom, highest: int) -> int:
    """Draw the amount of an item, such that two of its digits can be transposed."""
    while True:
        amount = rng.between(MIN_ITEM, highest)
        # The last two digits nearly always differ, which settles it without listing all transpositions.
        if amount % 10 != amount // 10 % 10 or _transpositions(amount):
            return amount


def _transpositions(amount: int) -> list[int]:
    """List what an amount becomes when two neighbouring digits change places and it stays as long as it was."""
    digits = str(amount)
    return [
        int(digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :])
        for at in range(len(digits) - 1)
        if digits[at] != digits[at + 1] and (at > 0 or digits[1] != "0")
    ]


def _draw_transposition(rng: KeyedRandom, plan: Plan, amounts: _Amounts) -> tuple[tuple[str, int] | None, int]:
    """Choose the cleared item whose bank amount differs, if any, and that amount.

    The item that an open one shares its amount with is spared: the trap needs it on the statement at that amount.
    """
    if UNRECONCILED not in plan.planted:
        return None, 0
    items = [("deposit", index) for index in range(len(amounts.deposits))]
    items += [("payment", index) for index in range(len(amounts.payments))]
    kind, index = rng.choice([item for item in items if item != amounts.twin])
    amount = (amounts.deposits if kind == "deposit" else amounts.payments)[index]
    return (kind, index), rng.choice(_transpositions(amount))


def _draw_fees_and_interest(rng: KeyedRandom, plan: Plan) -> tuple[list[int], list[int]]:
    """Draw what only the bank has, such that it does not cancel out: the ledger's balance needs an adjustment."""
    fees = [rng.between(MIN_FEE, MAX_FEE) for _ in range(plan.fees)]
    if not plan.interest:
        return fees, []
    while (interest := rng.between(MIN_INTEREST, MAX_INTEREST)) == sum(fees):
        pass
    return fees, [interest]


def _draw_ref(rng: KeyedRandom, used: set[str]) -> str:
    while (ref := f"R{rng.between(100_000, 999_999)}") in used:
        pass
    used.add(ref)
    return ref


def _ledger_line(rng: KeyedRandom, kind: str, amount: int, days: int, refs: set[str]) -> _Line:
    ref, day = _draw_ref(rng, refs), rng.between(1, days)
    return _Line(kind=kind, ref=ref, amount=amount, day=day, description=rng.choice(_LEDGER_WORDING[kind]))


_LEDGER_WORDING = {
    "deposit": [f"{subject} - {party}" for subject in wording.LEDGER_DEPOSITS for party in wording.PARTIES],
    "payment": [f"{subject} - {party}" for subject in wording.LEDGER_PAYMENTS for party in wording.PARTIES],
}
_BANK_WORDING = {
    "deposit": wording.BANK_DEPOSITS,
    "payment": wording.BANK_PAYMENTS,
    "fee": wording.BANK_FEES,
    "interest": wording.BANK_INTEREST,
}


def _bank_line(rng: KeyedRandom, kind: str, amount: int, day: int, ref: str) -> _Line:
    return _Line(kind=kind, ref=ref, amount=amount, day=day, description=rng.choice(_BANK_WORDING[kind]))


def _net(lines: list[_Line]) -> int:
    return sum(line.amount if line.kind in ("deposit", "interest") else -line.amount for line in lines)


def _line_id(prefix: str, position: int) -> str:
    return f"{prefix}-{position:02d}"


def _open_ids(ledger: list[_Line], kind: str) -> list[str]:
    return [_line_id("GL", at) for at, line in enumerate(ledger, start=1) if line.is_open and line.kind == kind]


def _rows(prefix: str, period: str, lines: list[_Line]) -> list[dict[str, str]]:
    return [
        {
            "id": _line_id(prefix, position),
            "date": f"{period}-{line.day:02d}",
            "type": line.kind,
            "ref": line.ref,
            "amount": format_cents(line.amount),
            "description": line.description,
        }
        for position, line in enumerate(lines, start=1)
    ]
