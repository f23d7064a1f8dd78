"""Reads with Polars, eager and lazy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from compat.release import Part


def read(part: Part, mode: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part."""
    frame = pl.scan_parquet(part.parquet).collect() if mode == "lazy" else pl.read_parquet(part.parquet)
    yield from frame.iter_rows(named=True)
