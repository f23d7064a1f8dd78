"""Rows back from the files of a release, exactly as generated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from pipeline.build.encode import canonical_line
from pipeline.build.plan import jsonl_path
from pipeline.errors import CannotRun
from pipeline.families.base import Item, Row

_BATCH_ROWS = 64  # rows decoded at a time: memory stays flat however large a row group is


def drop_absent(value: Any) -> Any:
    """Drop the keys that a row does not have and that Parquet, which knows no absent key, gives as None.

    Args:
        value: a row, or any part of one. No generated row has a null, so every None is an absent key.
    """
    if isinstance(value, dict):
        return {key: drop_absent(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [drop_absent(item) for item in value]
    return value


def read_jsonl(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSONL file.

    Raises:
        CannotRun: a line is no JSON; the message has its number.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise CannotRun(f"{path} line {number} is no JSON: {error}; verify or rebuild the folder") from None


def read_parquet(path: Path) -> Iterator[Row]:
    """Yield the rows of a Parquet file, absent keys absent.

    Raises:
        CannotRun: it is no Parquet file.
        OSError: it cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
                yield from map(drop_absent, batch.to_pylist())
    except pa.ArrowException as error:
        raise CannotRun(f"{path} cannot be read as Parquet: {error}; verify or rebuild the folder") from None


def read_rows(folder: Path, config: str, split: str) -> Iterator[Row]:
    """Yield the rows of one config and split of a release folder, from JSONL if it has that, else from Parquet.

    Raises:
        CannotRun: the folder has no such rows, or they are damaged.
        OSError: a file cannot be read.
    """
    jsonl = folder / jsonl_path(config, split)
    if jsonl.is_file():
        return read_jsonl(jsonl)
    shards = sorted((folder / config).glob(f"{split}-*-of-*.parquet"))
    if not shards:
        raise CannotRun(f"{folder} has no rows of {config}/{split}; build that split first")
    return chain.from_iterable(map(read_parquet, shards))


def read_lines(folder: Path, config: str, split: str) -> Iterator[bytes]:
    """Yield the canonical lines of the same rows, each with its line feed."""
    for row in read_rows(folder, config, split):
        yield canonical_line(row, f"{folder} {config}/{split}")


def gradeable_world(public: Row, truth: Row, source: Path | None = None) -> Any:
    """Rebuild a closebench world from its pair of rows without replaying the generator.

    The rows may come from `read_rows` or straight from ``datasets.load_dataset``.

    Args:
        public: the row of ``worlds``.
        truth: the row of ``truth`` with the same seed and language.
        source: a closebench checkout to use instead of the installed package.

    Returns:
        A ``closebench.world.World`` for ``closebench.tools.Session`` and ``closebench.grader.grade``.

    Raises:
        GeneratorMissing: closebench is not installed, or in another version.
    """
    from pipeline.families.closebench.package import load
    from pipeline.families.closebench.rebuild import rebuild_world

    return rebuild_world(load(source), Item(drop_absent(public), drop_absent(truth)))
