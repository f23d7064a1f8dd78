"""Which seeds a sampled verification looks at."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.build.plan import SplitPlan
from pipeline.families.keyed_random import KeyedRandom
from pipeline.seeds import Seeds


def sample_seeds(plans: Sequence[SplitPlan], size: int, sample_seed: int) -> dict[str, frozenset[int]]:
    """Draw the same number of seeds from every split, the same ones where splits hold the same seeds.

    Args:
        plans: the splits.
        size: how many seeds of each; all of them where a split has no more.
        sample_seed: what the draw depends on, so that it can be repeated.
    """
    return {plan.split: _draw(plan.seeds, size, KeyedRandom("verify", sample_seed)) for plan in plans}


def _draw(seeds: Seeds, size: int, random: KeyedRandom) -> frozenset[int]:
    if size >= seeds.count:
        return frozenset(seeds)
    places: set[int] = set()
    while len(places) < size:
        places.add(random.below(seeds.count))
    return frozenset(seeds.at(place) for place in places)
