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
    # The configs of the card say what to load, as on the Hub.
    return datasets.load_dataset(str(part.folder), part.config, split=part.split, streaming=streaming)
