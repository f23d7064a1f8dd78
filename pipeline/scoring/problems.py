"""Lines of a file of answers that were not graded: all counted, and listed up to a bound."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MOST_LISTED = 10_000
"""Further problems are counted and not listed: a file that is no file of answers must not fill the memory."""

UNREADABLE = "unreadable"
UNKNOWN = "unknown row"
DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Problem:
    """One line that was not graded.

    Attributes:
        line: its number, from 1.
        kind: `UNREADABLE`, `UNKNOWN` or `DUPLICATE`.
        message: what is wrong with it.
    """

    line: int
    kind: str
    message: str


@dataclass(slots=True)
class Problems:
    """The problems of a file.

    Attributes:
        counts: how many of each kind.
        listed: the first `MOST_LISTED`.
    """

    counts: Counter[str] = field(default_factory=Counter)
    listed: list[Problem] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many there are."""
        return self.counts.total()

    def add(self, line: int, kind: str, message: str) -> None:
        """Record one."""
        self.counts[kind] += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append(Problem(line, kind, message))
