"""Reads with pandas, into its own types and into Arrow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from compat.release import Part


def read(part: Part, mode: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part."""
    options: dict[str, Any] = {"dtype_backend": "pyarrow"} if mode == "arrow" else {}
    for path in part.parquet:
        yield from map(_plain, pd.read_parquet(path, **options).to_dict("records"))


def _plain(value: Any) -> Any:
    """Turn the arrays that pandas makes of nested lists into lists, and nothing else."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
