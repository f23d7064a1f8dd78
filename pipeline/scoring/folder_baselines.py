"""Baselines of the rows of a release folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import CheckFailed, UsageError
from pipeline.families.base import Item
from pipeline.scoring.baselines import Baselines, measure
from pipeline.scoring.folder_rows import FolderRows, Split, open_folder
from pipeline.seeds import Seeds


def measure_folder(folder: Path) -> Baselines:
    """Measure every row of a release folder.

    Raises:
        CheckFailed: the folder is damaged.
        CannotRun: it is no release folder.
        OSError: it cannot be read.
    """
    with open_folder(folder, lambda done, total: None) as rows:
        listed = rows.manifest.configs[rows.family.public_config]
        splits = {
            split.name: (_seeds(listed[split.name].seeds, split, folder), _items(rows, split)) for split in rows.splits
        }
        return measure(rows.family, rows.manifest.data_version, splits)


def _items(rows: FolderRows, split: Split) -> Iterator[Item]:
    return map(rows.item, range(split.first, split.first + len(split)))


def _seeds(text: str, split: Split, folder: Path) -> Seeds:
    """Read the seeds that the manifest lists, which must be as many as there are rows."""
    try:
        seeds = Seeds.parse(text)
    except UsageError:
        raise CheckFailed(f"{folder}: the manifest lists no seeds of {split.name}; rebuild the folder") from None
    if seeds.count != len(split):
        raise CheckFailed(f"{folder}: the manifest lists other seeds of {split.name} than there are rows; rebuild it")
    return seeds
