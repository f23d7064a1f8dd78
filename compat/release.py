"""What a release folder holds, found without the project's own code: the proof must not lean on what it proves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """One split of one config of a release.

    Attributes:
        folder: the release folder.
        family: the family's name.
        config: the config.
        split: the split.
    """

    folder: Path
    family: str
    config: str
    split: str

    @property
    def parquet(self) -> list[str]:
        """Its Parquet files in row order."""
        return [str(path) for path in sorted((self.folder / self.config).glob(f"{self.split}-*-of-*.parquet"))]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its rows, as it ships."""
        document: dict[str, Any] = json.loads((self.folder / f"schemas/{self.config}.json").read_bytes())
        return document

    @property
    def jsonl(self) -> Path:
        """The file of its rows as JSONL."""
        return self.folder / f"data/{self.config}-{self.split}.jsonl"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of its JSONL: what every reader must give."""
        with self.jsonl.open("rb") as file:
            yield from map(json.loads, file)


def find_parts(folder: Path) -> list[Part]:
    """List every config and split of a release folder.

    Raises:
        ValueError: it is no release folder, or one without the JSONL that Parquet is compared with.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        parts = [
            Part(folder.absolute(), manifest["family"], config, split)
            for config, splits in manifest["configs"].items()
            for split in splits
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{folder} is no release folder ({error!r}); run: closebench-hub build") from None
    if not parts or not all(part.jsonl.is_file() for part in parts):
        raise ValueError(f"{folder} lacks JSONL to compare with; run: closebench-hub build --formats jsonl,parquet")
    return parts
