"""The tests that the audit states: an exact test of a rule against its base rate, and Holm's correction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ALPHA = 0.01
"""The level of every test, after Holm's correction over all tests of one table."""


def exact_test(tables: Iterable[tuple[int, int, int, int]]) -> float:
    """Return the chance to hit at least as often if what is guessed had nothing to do with what is planted.

    The one-sided exact test of Fisher, with the margins of every stratum fixed: the number of hits is the sum of
    independent hypergeometric ones, whose distribution is worked out by convolution.

    Args:
        tables: for each stratum its true positives, false positives, false negatives and true negatives.
    """
    import numpy as np
    from scipy.stats import hypergeom

    hits, least, chances = 0, 0, np.ones(1)
    for true_positives, false_positives, false_negatives, true_negatives in tables:
        planted, guessed = true_positives + false_negatives, true_positives + false_positives
        total = planted + false_positives + true_negatives
        lowest, highest = max(0, planted + guessed - total), min(planted, guessed)
        if lowest < highest:
            chances = np.convolve(chances, hypergeom.pmf(range(lowest, highest + 1), total, planted, guessed))
        hits, least = hits + true_positives, least + lowest
    return float(min(1.0, chances[hits - least :].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values after Holm's step-down correction, in the same order."""
    adjusted = [1.0] * len(values)
    worst = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        worst = max(worst, min(1.0, values[place] * (len(values) - rank)))
        adjusted[place] = worst
    return adjusted
