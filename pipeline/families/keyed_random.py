"""Randomness derived by hash from a text key: the same on every machine and Python version, for ever.

``random.Random`` promises stable ``random()`` only, not stable ``randrange`` or ``shuffle``, and its neighbouring
integer seeds are related. Here every draw comes from SHA-256 in counter mode over the key (the idea of
tensorflow/datasets ``core/hashing.py``: order and content depend on a hash of the key and on nothing else).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_BLOCK = struct.Struct(">4Q")  # a SHA-256 digest as words of 64 bits
_WORD_SPAN = 1 << 64


class KeyedRandom:
    """A stream of unbiased draws that depends on its key alone."""

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, *key: int | str) -> None:
        """Derive a stream from parts such as (family, version, split, seed).

        Each part is written with its type and length, so that no two different keys share a stream.
        """
        prefix = "".join(f"{type(part).__name__}:{len(str(part))}:{part}|" for part in key)
        self._key = hashlib.sha256(prefix.encode("utf-8", "surrogatepass"))
        self._counter = 0
        self._words: list[int] = []

    def _refill(self) -> None:
        """Queue the next four words of 64 bits, the last one first."""
        block = self._key.copy()
        block.update(self._counter.to_bytes(8, "big"))
        first, second, third, fourth = _BLOCK.unpack(block.digest())
        self._words += (fourth, third, second, first)
        self._counter += 1

    def below(self, bound: int) -> int:
        """Draw an integer from 0 … bound-1, each equally likely (1 ≤ bound ≤ 2^64)."""
        if not 1 <= bound <= _WORD_SPAN:
            raise ValueError(f"bound {bound} is not within 1 … 2^64")
        words = self._words
        while True:
            if not words:
                self._refill()
            word = words.pop()
            result = word % bound
            if word - result <= _WORD_SPAN - bound:  # words of the last, incomplete run would favour small results
                return result

    def between(self, low: int, high: int) -> int:
        """Draw an integer from low … high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, numerator: int, denominator: int) -> bool:
        """Return True with probability numerator/denominator."""
        return self.below(denominator) < numerator

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Draw `count` different items, in random order."""
        if not 0 <= count <= len(items):
            raise ValueError(f"cannot draw {count} of {len(items)} items")
        result = list(items)
        for first in range(count):
            other = first + self.below(len(result) - first)
            result[first], result[other] = result[other], result[first]
        return result[:count]
