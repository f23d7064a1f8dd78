"""Reads with Hugging Face datasets, plain (through its Arrow cache) and streaming."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import datasets

from compat.release import Part


def read(part: Part, mode: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part."""
    yield from _load(part, streaming=mode == "streaming")


def _load(part: Part, *, streaming: bool) -> Any:
    # Once release folders have a card, its configs say what to load, as on the Hub:
    # load_dataset(str(part.folder), part.config, split=part.split, streaming=streaming)
    return datasets.load_dataset("parquet", data_files=part.parquet, split="train", streaming=streaming)
