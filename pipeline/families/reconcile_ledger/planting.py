"""Where the discrepancies lie, and of which types.

Two traps tie a discrepancy to a property that anyone can see: one drift always lies on the last day, and one missing
entry always shares its amount with a duplicated one. So that neither property makes a transaction more suspect than
the rest, the other discrepancies get it just as much less often: a transaction is planted with probability 12/200,
whether or not it is on the last day and whether or not its amount is shared.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.reconcile_ledger.records import (
    DISCREPANCIES,
    DRIFT,
    DUPLICATE,
    MISMATCH,
    MISSING,
    TRANSACTIONS,
    TYPES,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The discrepancies of a scenario, transactions named by their position in the bank feed.

    Attributes:
        types: the type of each discrepancy.
        month_end: the drift that must go from the last day into the next month.
        cancelling: a missing and a duplicated entry that must have the same amount.
    """

    types: dict[int, str]
    month_end: int
    cancelling: tuple[int, int]


def plant(random: KeyedRandom, on_last_day: int) -> Plan:
    """Draw the plan for a feed whose last `on_last_day` transactions (17 … 66) are those of the last day."""
    anywhere = [MISSING, DUPLICATE, MISMATCH] + [random.choice(TYPES) for _ in range(DISCREPANCIES - 4)]
    # Drifts other than the one of the trap keep off the last day, or the last day would mean drift.
    drifts = [kind for kind in anywhere if kind == DRIFT]
    others = [kind for kind in anywhere if kind != DRIFT]
    to_spread = DISCREPANCIES * on_last_day - TRANSACTIONS  # the last day's fair share less the trap, in 1/200
    late, early = [DRIFT], drifts
    for kind in others:
        (late if random.chance(to_spread, TRANSACTIONS * len(others)) else early).append(kind)

    before = TRANSACTIONS - on_last_day
    late_places = random.sample(range(before, TRANSACTIONS), len(late))
    types = dict(zip(late_places, late, strict=True))
    types.update(zip(random.sample(range(before), len(early)), early, strict=True))
    return Plan(types, late_places[0], (_one(random, types, MISSING), _one(random, types, DUPLICATE)))


def _one(random: KeyedRandom, types: dict[int, str], kind: str) -> int:
    return random.choice([place for place, its_kind in types.items() if its_kind == kind])
