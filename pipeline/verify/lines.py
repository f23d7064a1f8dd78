"""Canonical lines of one shard, from a JSONL file or from Parquet, whatever state the files are in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.build.encode import canonical_line
from pipeline.build.plan import Shard, jsonl_path
from pipeline.errors import CannotRun, RowInvalid
from pipeline.reading import read_parquet

MAX_LINE = 64 * 2**20
"""No row comes near this many bytes; a longer line is damage and is not read."""

_CHUNK = 2**20


def line_offsets(path: Path, every: int) -> tuple[list[int], int]:
    """Find where every `every`-th line of a file begins.

    Returns:
        The byte offset of line 0, `every`, 2 · `every` … as far as the file has them, and the number of lines.
    """
    offsets, lines, base, last = [0], 0, 0, b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found = chunk.count(b"\n")
            position = -1
            while lines % every + found >= every:
                for _ in range(every - lines % every):
                    position = chunk.index(b"\n", position + 1)
                    lines += 1
                    found -= 1
                offsets.append(base + position + 1)
            lines += found
            base += len(chunk)
            last = chunk[-1:]
    if base and last != b"\n":
        lines += 1
    return (offsets[:-1] if offsets[-1] == base else offsets), lines


class DamagedLines(Exception):
    """The lines cannot be read on; the message says why."""


def shard_lines(folder: Path, config: str, shard: Shard, offset: int | None) -> Iterator[bytes]:
    """Yield the canonical lines of a shard, at most as many as it has seeds.

    Args:
        folder: the release folder.
        config: the config.
        shard: the shard.
        offset: where its first line begins in the JSONL file; None to read its Parquet file instead.

    Raises:
        DamagedLines: the file cannot be read on.
    """
    try:
        if offset is None:
            for row in read_parquet(folder / shard.parquet_path(config)):
                yield canonical_line(row, "a row")
            return
        with (folder / jsonl_path(config, shard.split)).open("rb") as file:
            file.seek(offset)
            for _ in range(shard.seeds.count):
                line = file.readline(MAX_LINE)
                if not line:
                    return
                if len(line) == MAX_LINE:
                    raise DamagedLines(f"a line is longer than {MAX_LINE} bytes")
                yield line
    except (CannotRun, RowInvalid) as problem:
        raise DamagedLines(str(problem)) from None
    except OSError as error:
        raise DamagedLines(f"cannot be read: {error.strerror or error}") from None


def first_difference(expected: Any, found: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Find the first place where two rows differ, in row order.

    Returns:
        The path, the expected and the found value; a value that is not there is ``ABSENT``. None if there is none.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            place = f"{path}.{key}" if path else key
            difference = first_difference(expected.get(key, ABSENT), found.get(key, ABSENT), place)
            if difference:
                return difference
        return None
    if isinstance(expected, list) and isinstance(found, list):
        for index in range(max(len(expected), len(found))):
            wanted, got = (values[index] if index < len(values) else ABSENT for values in (expected, found))
            difference = first_difference(wanted, got, f"{path}[{index}]")
            if difference:
                return difference
        return None
    return None if expected == found and type(expected) is type(found) else (path, expected, found)


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()
"""Stands for a value that a row does not have."""
