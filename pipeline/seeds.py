"""Seeds as people write them: ``1-50,1001-1050``.

A `Seeds` is a sorted tuple of ranges, so that twenty billion seeds cost as little as two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.errors import UsageError

MAX_SEED = 2**63 - 1
"""Seeds are stored as int64."""

_PART = re.compile(r"([0-9]+)(?:-([0-9]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Seeds:
    """An ordered set of seeds.

    Attributes:
        ranges: disjoint pairs (first, last), both included, in rising order and never touching.
    """

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, text: str) -> Seeds:
        """Read ``1-50,1001-1050``: numbers and rising ranges, separated by commas, in any order.

        Raises:
            UsageError: anything else, a seed outside 0 … 2^63-1, or a seed named twice.
        """
        ranges = sorted(_parse_part(part.strip(), text) for part in text.split(","))
        joined: list[tuple[int, int]] = []
        for first, last in ranges:
            if joined and first <= joined[-1][1]:
                raise UsageError(f"--seeds {text!r} names seed {first} twice; name each seed once")
            if joined and first == joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        return cls(tuple(joined))

    @property
    def count(self) -> int:
        """How many seeds there are (``len`` cannot say more than 2^63-1)."""
        return sum(last - first + 1 for first, last in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __contains__(self, seed: object) -> bool:
        return isinstance(seed, int) and any(first <= seed <= last for first, last in self.ranges)

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in self.ranges)

    def at(self, place: int) -> int:
        """Return the seed at a place, counted from 0.

        Raises:
            IndexError: there are not so many.
        """
        for first, last in self.ranges:
            if place <= last - first:
                return first + place
            place -= last - first + 1
        raise IndexError("no seed at this place")

    def runs(self, size: int) -> Iterator[Seeds]:
        """Cut into consecutive runs of `size` seeds, the last one shorter."""
        run: list[tuple[int, int]] = []
        room = size
        for first, last in self.ranges:
            while first <= last:
                end = min(last, first + room - 1)
                run.append((first, end))
                room -= end - first + 1
                first = end + 1
                if not room:
                    yield Seeds(tuple(run))
                    run, room = [], size
        if run:
            yield Seeds(tuple(run))


def _parse_part(part: str, text: str) -> tuple[int, int]:
    found = _PART.fullmatch(part)
    if not found:
        raise UsageError(f"--seeds {text!r}: {part!r} is neither a seed nor a range; write for example 1-50,1001-1050")
    digits = (found[1], found[2] or found[1])
    # int() refuses thousands of digits, and its complexity is not worth finding out about.
    if any(len(number.lstrip("0")) > len(str(MAX_SEED)) or int(number) > MAX_SEED for number in digits):
        raise UsageError(f"--seeds: {part[:40]!r} is above 2^63-1; use seeds from 0 to {MAX_SEED}")
    first, last = map(int, digits)
    if last < first:
        raise UsageError(f"--seeds {text!r}: {part!r} runs backwards; write {last}-{first}")
    return first, last
