"""The check *parquet*: a file holds exactly the rows of its JSONL lines, laid out as designed."""

from __future__ import annotations

import hashlib
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.build.digest import digest_file
from pipeline.build.encode import CANARY_KEY, PARQUET_OPTIONS, ROW_GROUP_BYTES, canonical_line, to_table
from pipeline.build.plan import Shard
from pipeline.card.canary import canary
from pipeline.errors import RowInvalid
from pipeline.reading import drop_absent
from pipeline.resources import load_schema
from pipeline.verify.report import Tally

_ADVICE = "rebuild the folder"


class ParquetCheck:
    """Compares one Parquet file with the lines that it must hold, one row group at a time.

    The file is also written anew from the lines: with the pyarrow version that the manifest names, its very bytes
    must come out again. With another version only the bytes may differ, and the report says so.
    """

    def __init__(self, folder: Path, family: str, config: str, shard: Shard, pyarrow: str) -> None:
        """Open the file.

        Args:
            folder: the release folder.
            family: the family's name.
            config: the config.
            shard: the shard.
            pyarrow: the pyarrow version that the manifest names.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._place = shard.parquet_path(config)
        self._folder, self._pyarrow, self._canary = folder, pyarrow, canary(family)
        self._schema = load_schema(family, config)
        self._tally = Tally()
        self._pending: list[bytes] = []
        self._pending_bytes = self._group = self._row = 0
        self._anew = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._anew, self._schema.arrow, **PARQUET_OPTIONS)
        self._file: Any = None
        try:
            self._file = pq.ParquetFile(folder / self._place)
        except (pa.ArrowException, OSError) as error:
            self._found(f"cannot be read as Parquet: {_one_line(error)}")

    def _found(self, message: str) -> None:
        self._tally.find("parquet", self._place, message)

    def add(self, line: bytes | None) -> None:
        """Take the next line that the file must hold; None where it is not known."""
        if line is None:
            return
        self._pending.append(line)
        self._pending_bytes += len(line)
        if self._pending_bytes >= ROW_GROUP_BYTES:
            self._compare_group()

    def _compare_group(self) -> None:
        import pyarrow as pa

        lines, self._pending, self._pending_bytes = self._pending, [], 0
        group, self._group = self._group, self._group + 1
        first, self._row = self._row, self._row + len(lines)
        try:
            wanted = to_table(lines, self._schema.arrow, self._place)
        except RowInvalid as problem:
            self._found(f"cannot be compared, for the JSONL rows do not fit the schema: {problem}")
            return
        self._writer.write_table(wanted, row_group_size=len(lines))
        if self._file is None:
            return
        if group >= self._file.metadata.num_row_groups:
            self._found(f"has {self._file.metadata.num_row_groups} row groups; row {first} begins one more")
            return
        try:
            found = self._file.read_row_group(group, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            self._found(f"row group {group} cannot be read: {_one_line(error)}")
            return
        self._tally.count(rows=found.num_rows)
        if not found.equals(wanted):
            self._found(self._first_row(lines, found, first))

    def _first_row(self, lines: list[bytes], found: Any, first: int) -> str:
        """Say in which row a row group differs from its lines."""
        if found.num_rows != len(lines):
            return f"row group {self._group - 1} has {found.num_rows} rows; the design puts {len(lines)} into it"
        for index, (line, row) in enumerate(zip(lines, found.to_pylist(), strict=True), first):
            try:
                same = canonical_line(drop_absent(row), self._place) == line
            except RowInvalid:
                same = False
            if not same:
                return f"row {index} does not give its JSONL line back"
        return "its columns differ from the declared ones in type"

    def finish(self) -> Tally:
        """Compare the rest and the layout; return what was found."""
        if self._pending:
            self._compare_group()
        self._writer.add_key_value_metadata({CANARY_KEY: self._canary})
        self._writer.close()
        self._tally.count(files=1)
        if self._file is not None:
            with self._file:
                self._check_layout()
            if not self._tally.findings:
                self._compare_bytes()
        return self._tally

    def _check_layout(self) -> None:
        metadata = self._file.metadata
        if metadata.num_rows != self._row:
            self._found(f"says it has {metadata.num_rows} rows; its JSONL lines are {self._row}")
        if metadata.num_row_groups != self._group:
            self._found(f"has {metadata.num_row_groups} row groups; the design makes {self._group}")
        if not self._file.schema_arrow.equals(self._schema.arrow):
            self._found(_schema_difference(self._schema.arrow, self._file.schema_arrow))
        if metadata.metadata != {CANARY_KEY.encode(): self._canary.encode()}:
            keys = ", ".join(sorted(key.decode("utf-8", "replace") for key in metadata.metadata or {}))
            self._found(f"carries the metadata {keys or 'none'}, not the canary alone as every build writes it")
        created = re.search(r"version (\S+)", metadata.created_by or "")
        if (created[1] if created else "") != self._pyarrow:
            self._found(f"was written by {metadata.created_by!r}; the manifest says pyarrow {self._pyarrow}")
        for group in range(metadata.num_row_groups):
            columns = [metadata.row_group(group).column(index) for index in range(metadata.num_columns)]
            if {column.compression for column in columns} != {"ZSTD"}:
                self._found(f"row group {group} is not compressed with zstd")
            if not all(column.has_offset_index for column in columns):
                self._found(f"row group {group} has no page index")

    def _compare_bytes(self) -> None:
        here = version("pyarrow")
        anew = hashlib.sha256(self._anew.getvalue()).hexdigest()
        if digest_file(self._folder, self._place).sha256 == anew:
            return
        if here == self._pyarrow:
            self._found(f"holds the right rows in other bytes than pyarrow {here} writes; {_ADVICE}")
        else:
            self._tally.notes.append(
                f"written by pyarrow {self._pyarrow} and read by {here}: bytes differ between them, every row is equal"
            )


def _schema_difference(wanted: Any, found: Any) -> str:
    for field in wanted:
        index = found.get_field_index(field.name)
        if index < 0:
            return f"lacks the column {field.name!r}"
        if found.field(index) != field:
            return f"column {field.name!r} is {found.field(index).type}, not {field.type}"
    extra = [name for name in found.names if name not in wanted.names]
    return f"has the column {extra[0]!r}, which is not declared" if extra else "has its columns in another order"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
