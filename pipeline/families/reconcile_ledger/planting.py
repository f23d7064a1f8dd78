"""Where the discrepancies lie, and of which types.

Two traps tie a discrepancy to a property that anyone can see: a drift on the last day, and a missing entry that shares
its amount with a duplicated one. So that neither property makes a transaction more suspect, of any type, a trap is set
in just as many scenarios as it takes for its types to be there as often as elsewhere, and nowhere else do these types
have the property.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.reconcile_ledger.records import (
    DISCREPANCIES,
    DRIFT,
    DUPLICATE,
    MISSING,
    TRANSACTIONS,
    TYPES,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The discrepancies of a scenario, transactions named by their position in the bank feed.

    Attributes:
        types: the type of each discrepancy.
        month_end: a drift that must go from the last day into the next month; None if there is none on that day.
        cancelling: a missing and a duplicated entry that must have the same amount; empty if no such two have.
    """

    types: dict[int, str]
    month_end: int | None
    cancelling: tuple[int, ...]


OF_EACH_TYPE = DISCREPANCIES // len(TYPES)
"""How many discrepancies of one type a scenario has on average."""

CANCELLING = (OF_EACH_TYPE, 5)
"""Probability of the cancelling pair: a fifth of the amounts are shared, so should a fifth of each type be."""


def plant(random: KeyedRandom, on_last_day: int) -> Plan:
    """Draw the plan for a feed whose last `on_last_day` transactions (17 … 66) are those of the last day."""
    kinds = [*TYPES, *(random.choice(TYPES) for _ in range(DISCREPANCIES - len(TYPES)))]
    drifts = [kind for kind in kinds if kind == DRIFT]
    late, early = [], drifts
    if random.chance(OF_EACH_TYPE * on_last_day, TRANSACTIONS):
        late.append(early.pop())
    for kind in kinds:
        if kind != DRIFT:
            (late if random.chance(on_last_day, TRANSACTIONS) else early).append(kind)

    before = TRANSACTIONS - on_last_day
    late_places = random.sample(range(before, TRANSACTIONS), len(late))
    types = dict(zip(late_places, late, strict=True))
    types.update(zip(random.sample(range(before), len(early)), early, strict=True))
    month_end = next((place for place, kind in zip(late_places, late, strict=True) if kind == DRIFT), None)
    cancelling: tuple[int, ...] = ()
    if random.chance(*CANCELLING):
        cancelling = (_one(random, types, MISSING), _one(random, types, DUPLICATE))
    return Plan(types, month_end, cancelling)


def _one(random: KeyedRandom, types: dict[int, str], kind: str) -> int:
    return random.choice([place for place, its_kind in types.items() if its_kind == kind])
