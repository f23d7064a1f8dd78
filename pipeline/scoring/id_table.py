"""From the id of a row to its number, in 24 bytes a row at most: a million ids in a dict would take 200."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable


def fingerprint(row_id: str) -> int:
    """Return 64 bits that stand for an id."""
    return int.from_bytes(hashlib.blake2b(row_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class RepeatedId(Exception):
    """Two rows have one id; `args` holds the number of the second."""


class IdTable:
    """An open-addressing hash table of fingerprints."""

    def __init__(self, fingerprints: array[int]) -> None:
        """Number the rows in the order of their fingerprints.

        Raises:
            RepeatedId: two of them are the same.
        """
        size = 1 << (len(fingerprints) * 3 // 2).bit_length()
        self._mask = size - 1
        self._rows = array("I", bytes(4 * size))  # row number + 1; 0 is a free slot
        self._fingerprints = array("Q", bytes(8 * size))
        for row, value in enumerate(fingerprints):
            for slot in self._slots(value):
                if not self._rows[slot]:
                    self._rows[slot], self._fingerprints[slot] = row + 1, value
                    break
                if self._fingerprints[slot] == value:
                    raise RepeatedId(row)

    def find(self, row_id: str) -> int | None:
        """Return the number of the row with an id, or None."""
        value = fingerprint(row_id)
        for slot in self._slots(value):
            if not self._rows[slot]:
                return None
            if self._fingerprints[slot] == value:
                return self._rows[slot] - 1
        return None

    def _slots(self, value: int) -> Iterable[int]:
        """Yield every slot once, from the value's own one on; a table is never full."""
        start = value & self._mask
        yield from range(start, self._mask + 1)
        yield from range(start)
