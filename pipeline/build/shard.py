"""What a worker does: generate, validate, encode and write one shard. It returns digests, never rows."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from pipeline.build.digest import FileDigest, digest_file
from pipeline.build.encode import CANARY_KEY, PARQUET_OPTIONS, ROW_GROUP_BYTES, canonical_line, to_table
from pipeline.build.plan import Shard
from pipeline.card.canary import canary
from pipeline.families import get_family
from pipeline.resources import load_schema
from pipeline.schema import Schema

JSONL, PARQUET = "jsonl", "parquet"
FORMATS = (JSONL, PARQUET)


@dataclass(frozen=True, slots=True)
class ShardJob:
    """Everything a worker needs to know.

    Attributes:
        family: the family's name.
        source: checkout of its generator package; None for the installed one.
        shard: which seeds.
        folder: the folder to write in, made already.
        formats: ``jsonl``, ``parquet`` or both.
    """

    family: str
    source: Path | None
    shard: Shard
    folder: Path
    formats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfigPart:
    """One shard of one config.

    Attributes:
        rows: number of rows.
        lines: size and digest of the canonical lines; the path is that of the part file.
        parquet: the Parquet file; None if that format was not wanted.
    """

    rows: int
    lines: FileDigest
    parquet: FileDigest | None


def part_path(shard: Shard, config: str) -> str:
    """Return where a shard's canonical lines wait to be joined."""
    return f".parts/{config}-{shard.split}-{shard.index:05d}.jsonl"


def write_shard(job: ShardJob) -> dict[str, ConfigPart]:
    """Write one shard of every config.

    With no ``jsonl`` among the formats the part files are written all the same: the digest of a split's canonical
    lines is the identity of its rows, and it can only be taken over all shards in order.

    Returns:
        The part of each config.

    Raises:
        RowInvalid: a row that does not fit its schema.
        GeneratorMissing: see `Family.generate`.
        OSError: a file cannot be written.
    """
    family = get_family(job.family, job.source)
    with ExitStack() as stack, without_cycle_collection():
        sinks = [stack.enter_context(_ConfigSink(job, config)) for config in family.configs]
        for seed in job.shard.seeds:
            item = family.generate(job.shard.split, seed)
            for sink, row in zip(sinks, (item.public, item.truth), strict=True):
                sink.add(row, f"{family.name} {sink.config}/{job.shard.split} seed {seed}")
    return {sink.config: sink.finish() for sink in sinks}


@contextmanager
def without_cycle_collection() -> Iterator[None]:
    """Pause the search for reference cycles: rows have none, and looking for them costs a tenth of the build."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _ConfigSink:
    """Takes the rows of one config of one shard: validates, encodes, writes, counts and hashes them."""

    def __init__(self, job: ShardJob, config: str) -> None:
        self.config = config
        self._job = job
        self._schema: Schema = load_schema(job.family, config)
        self._part = part_path(job.shard, config)
        self._parquet = job.shard.parquet_path(config) if PARQUET in job.formats else ""
        self._hash = hashlib.sha256()
        self._rows = self._bytes = self._pending_bytes = 0
        self._pending: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._writer: Any = None

    def __enter__(self) -> _ConfigSink:
        self._file = (self._job.folder / self._part).open("wb")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if error is None:
                self._write_row_group()
        finally:
            if self._file is not None:
                self._file.close()
            if self._writer is not None:
                self._writer.add_key_value_metadata({CANARY_KEY: canary(self._job.family)})
                self._writer.close()

    def add(self, row: dict[str, Any], where: str) -> None:
        self._schema.validate(row, where)
        line = canonical_line(row, where)
        assert self._file is not None
        self._file.write(line)
        self._hash.update(line)
        self._rows += 1
        self._bytes += len(line)
        if self._parquet:
            self._pending.append(line)
            self._pending_bytes += len(line)
            if self._pending_bytes >= ROW_GROUP_BYTES:
                self._write_row_group()

    def _write_row_group(self) -> None:
        if not self._pending:
            return
        import pyarrow.parquet as pq

        where = f"{self._job.family} {self.config}/{self._job.shard.split} seeds {self._job.shard.seeds}"
        table = to_table(self._pending, self._schema.arrow, where)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._job.folder / self._parquet, self._schema.arrow, **PARQUET_OPTIONS)
        self._writer.write_table(table, row_group_size=len(self._pending))
        self._pending.clear()
        self._pending_bytes = 0

    def finish(self) -> ConfigPart:
        """Return the digests, once the files are closed."""
        parquet = digest_file(self._job.folder, self._parquet) if self._parquet else None
        return ConfigPart(self._rows, FileDigest(self._part, self._bytes, self._hash.hexdigest()), parquet)
