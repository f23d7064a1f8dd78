"""Transaction references, some of which are one transposition of digits apart."""

from __future__ import annotations

from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.reconcile_ledger.records import TRANSACTIONS

TWINS = TRANSACTIONS // 10
"""How many pairs of references differ by one transposition alone."""

_DIGITS = 8
_SPAN = 10**_DIGITS


def references(random: KeyedRandom) -> list[str]:
    """Draw a unique reference for each transaction.

    Which transactions are twins does not depend on the discrepancies, so that being one says nothing.
    """
    taken: set[str] = set()
    result = [""] * TRANSACTIONS
    places = random.sample(range(TRANSACTIONS), 2 * TWINS)
    for one, other in zip(places[::2], places[1::2], strict=True):
        number, twin = _pair(random)
        while number in taken or twin in taken:
            number, twin = _pair(random)
        taken |= {number, twin}
        result[one], result[other] = number, twin
    for place in range(TRANSACTIONS):
        while not result[place]:
            number = _number(random)
            if number not in taken:
                taken.add(number)
                result[place] = number
    return [f"TRN{number}" for number in result]


def _number(random: KeyedRandom) -> str:
    return str(_SPAN + random.below(_SPAN))[1:]


def _pair(random: KeyedRandom) -> tuple[str, str]:
    while True:
        number = _number(random)
        place = random.below(_DIGITS - 1)
        one, other = number[place], number[place + 1]
        if one != other:
            return number, number[:place] + other + one + number[place + 2 :]
