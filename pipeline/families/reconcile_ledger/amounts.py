"""Amounts of the bank feed, and the wrong amounts of the ledger.

Every decimal digit of an amount is about equally likely, and so is every size from tens to tens of thousands; wrong
amounts keep to the same range and very nearly to the same digits, so that neither side gives a discrepancy away.
"""

from __future__ import annotations

from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.reconcile_ledger.planting import Plan
from pipeline.families.reconcile_ledger.records import DUPLICATE, MISMATCH, MISSING, TRANSACTIONS

LEAST = 10_00
MOST = 99_999_99

SHARED = TRANSACTIONS // 5
"""How many transactions have an amount that another one has too."""

_LOWEST = (10_00, 100_00, 1_000_00, 10_000_00)
_WIDEST = 90_000_00  # how many amounts have seven digits

_GROUP_SIZES = (2,) * 14 + (3,) * 4


def bank_amounts(random: KeyedRandom, plan: Plan) -> list[int]:
    """Draw the amount of each bank transaction, in signed cents; just `SHARED` of them are not unique."""
    groups = _groups(random, plan)
    amounts = [0] * TRANSACTIONS
    taken: set[int] = set()
    for group in groups:
        amount = _fresh_amount(random, taken)
        for place in group:
            amounts[place] = amount
    return amounts


def ledger_amounts(random: KeyedRandom, plan: Plan, amounts: list[int]) -> list[int]:
    """Copy the bank amounts and put a wrong one wherever the plan has a mismatch."""
    result = list(amounts)
    places = random.shuffled([place for place, kind in plan.types.items() if kind == MISMATCH])
    if len(places) > 1 and random.chance(1, 2):
        one, other = places[:2]
        if amounts[one] != amounts[other]:
            result[one], result[other] = amounts[other], amounts[one]
            places = places[2:]
    for place in places:
        wrong = _wrong_size(random, abs(amounts[place]))
        result[place] = -wrong if amounts[place] < 0 else wrong
    return result


def _groups(random: KeyedRandom, plan: Plan) -> list[list[int]]:
    """Part the transactions into those that share an amount (`_GROUP_SIZES`) and groups of one."""
    slots = [group for group, size in enumerate(_GROUP_SIZES) for _ in range(size)]
    # By slots, so that a group of three holds discrepancies in proportion to its size.
    home = random.choice(slots)
    for _ in plan.cancelling:
        slots.remove(home)

    # Missing and duplicated entries share an amount as the cancelling pair alone (see `planting`).
    members = [
        place
        for place, kind in plan.types.items()
        if kind not in (MISSING, DUPLICATE) and random.chance(SHARED, TRANSACTIONS)
    ]
    clean = [place for place in range(TRANSACTIONS) if place not in plan.types]
    members += random.sample(clean, len(slots) - len(members))

    groups: list[list[int]] = [[] for _ in _GROUP_SIZES]
    groups[home] += plan.cancelling
    for slot, place in zip(slots, random.shuffled(members), strict=True):
        groups[slot].append(place)
    in_groups = {place for group in groups for place in group}
    return groups + [[place] for place in range(TRANSACTIONS) if place not in in_groups]


def _fresh_amount(random: KeyedRandom, taken: set[int]) -> int:
    """Draw an amount of a size that is not taken yet; each number of digits is equally likely, 3 of 5 are negative."""
    while True:
        rest, sign = divmod(random.below(5 * len(_LOWEST) * _WIDEST), 5)
        length, rest = divmod(rest, _WIDEST)
        lowest = _LOWEST[length]
        size = lowest + rest % (9 * lowest)  # no bias: each 9 * lowest divides _WIDEST
        if size not in taken:
            taken.add(size)
            return -size if sign < 3 else size


def _wrong_size(random: KeyedRandom, size: int) -> int:
    """Misstate a positive amount: ten times, one cent off, 1.00 off, or two digits transposed.

    Ten times always ends in 0. So amounts that end in 0 already are only ever put one cent off, and ten times is so
    rare that wrong amounts end in 0 about as often as right ones.
    """
    if size % 10 == 0:
        return _off_by(random, size, 1)
    if size * 10 <= MOST and random.chance(1, 9):
        return size * 10
    kind = random.below(3)
    if kind == 0:
        return _transposed(random, size) or _off_by(random, size, 1)
    return _off_by(random, size, 1 if kind == 1 else 100)


def _off_by(random: KeyedRandom, size: int, difference: int) -> int:
    signed = difference if random.chance(1, 2) else -difference
    return size + signed if LEAST <= size + signed <= MOST else size - signed


def _transposed(random: KeyedRandom, size: int) -> int | None:
    """Exchange two different neighbouring digits, not so that a zero would lead; None if there are none."""
    digits = str(size)
    places = [
        place
        for place in range(len(digits) - 1)
        if digits[place] != digits[place + 1] and (place > 0 or digits[1] != "0")
    ]
    if not places:
        return None
    place = random.choice(places)
    return int(digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :])
