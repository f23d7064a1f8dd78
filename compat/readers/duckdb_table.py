"""Reads with DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb

from compat.release import Part

_BATCH_ROWS = 64


def read(part: Part, mode: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part; there is one mode."""
    with duckdb.connect() as connection:
        result = connection.execute("SELECT * FROM read_parquet(?)", [part.parquet])
        columns = [column[0] for column in result.description]
        while rows := result.fetchmany(_BATCH_ROWS):
            yield from (dict(zip(columns, row, strict=True)) for row in rows)
