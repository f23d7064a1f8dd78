"""Figures for a table of scores: intervals and pass^k. Pure, and the same on every machine."""

from __future__ import annotations

import hashlib
import math
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

Z_95 = 1.959963984540054
"""The normal quantile of a 95 % interval."""

RESAMPLES = 1999
"""Bootstrap resamples; with 1999 the 2.5 % and 97.5 % points are the 50th from either end, without interpolation."""

MOST_UNITS = 1000
"""More rows than this are first put into so many groups, at random, and the groups are resampled: that bounds the time
and keeps the spread of the mean."""

_TAIL = (RESAMPLES + 1) // 40  # the 50th

Interval = tuple[float, float]


def wilson_interval(rate: float, rows: int) -> Interval | None:
    """Return the 95 % Wilson score interval of a pass rate.

    Args:
        rate: passes divided by rows; with repeats the mean over rows, which makes the interval a careful one.
        rows: the number of independent rows.

    Returns:
        Lower and upper end; None without rows.
    """
    if not rows:
        return None
    spread = Z_95**2 / rows
    middle = (rate + spread / 2) / (1 + spread)
    reach = Z_95 / (1 + spread) * math.sqrt(rate * (1 - rate) / rows + spread / (4 * rows))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def bootstrap_intervals(columns: Sequence[Sequence[float]], key: str) -> list[Interval | None]:
    """Return the 95 % percentile bootstrap interval of the mean of each column, resampling rows.

    All columns see the same resamples, so that their intervals can be compared.

    Args:
        columns: scores, as many in every column.
        key: names the rows; the same key gives the same draws.

    Returns:
        An interval a column; None without rows.
    """
    rows = len(columns[0]) if columns else 0
    if not rows:
        return [None] * len(columns)
    units = min(rows, MOST_UNITS)
    members = range(rows) if rows == units else _draw(units, rows, f"units:{key}")
    sizes, sums = [0] * units, [[0.0] * units for _ in columns]
    for unit in members:
        sizes[unit] += 1
    for column, unit_sums in zip(columns, sums, strict=True):
        for unit, score in zip(members, column, strict=True):
            unit_sums[unit] += score
    means: list[list[float]] = [[] for _ in columns]
    for resample in range(RESAMPLES):
        drawn = _draw(units, units, f"bootstrap:{key}:{resample}")
        size = sum(map(sizes.__getitem__, drawn))
        for unit_sums, column_means in zip(sums, means, strict=True):
            column_means.append(math.fsum(map(unit_sums.__getitem__, drawn)) / size)
    return [(column[_TAIL - 1], column[-_TAIL]) for column in map(sorted, means)]


def _draw(units: int, count: int, key: str) -> array[int]:
    """Draw numbers from 0 … units-1, with SHAKE-256 of the key."""
    words = array("I", hashlib.shake_256(key.encode()).digest(4 * count))
    if sys.byteorder == "big":
        words.byteswap()
    return array("H", (word * units >> 32 for word in words))


def pass_hat(tries: Iterable[tuple[int, int]], unanswered: int = 0) -> list[float]:
    """Return pass^k, the chance that k answers to a row all pass, for k from 1 to the smallest number of answers.

    The estimate is the mean over rows of C(c, k) / C(n, k), with n answers to a row of which c passed
    (source: tau-bench, Yao et al. 2024).

    Args:
        tries: the pair (n, c) of every answered row.
        unanswered: rows without an answer, which count as 0 for every k.

    Returns:
        pass^1, pass^2 and so on; empty if no row has an answer.
    """
    alike = Counter(tries)
    if not alike:
        return []
    rows = sum(alike.values()) + unanswered
    shares = dict.fromkeys(alike, 1.0)
    result = []
    for k in range(1, min(n for n, _ in alike) + 1):
        for n, c in alike:
            shares[n, c] *= max(0, c - k + 1) / (n - k + 1)
        result.append(math.fsum(count * shares[pair] for pair, count in alike.items()) / rows)
    return result
