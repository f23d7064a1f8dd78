"""The rows of a release folder by number, id or seed, one parsed at a time.

Every row is read once to find its id and to compare all of them with the digests of the manifest; after that only
the places of the lines are kept.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

import orjson

from pipeline.build.manifest import MANIFEST, Manifest, SplitRows, read_manifest
from pipeline.build.plan import jsonl_path
from pipeline.errors import CheckFailed, UsageError
from pipeline.families import get_family
from pipeline.families.base import TRUTH, Family, Item
from pipeline.reading import read_lines
from pipeline.scoring.id_table import IdTable, RepeatedId, fingerprint
from pipeline.seeds import MAX_SEED

Show = Callable[[int, int], object]
"""Told how many units are done, and of how many."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """A JSONL file and where its lines begin."""

    file: IO[bytes]
    offsets: array[int]

    def __getitem__(self, number: int) -> Any:
        self.file.seek(self.offsets[number])
        return orjson.loads(self.file.readline())


@dataclass(frozen=True, slots=True)
class Split:
    """The rows of one split.

    Attributes:
        name: the split.
        first: the number of its first row among those of the folder.
        seeds: the seed of each row, rising; empty where rows have none.
        public: the public rows.
        truth: the truth rows.
    """

    name: str
    first: int
    seeds: array[int]
    public: _Lines
    truth: _Lines

    def __len__(self) -> int:
        return len(self.public.offsets)


class FolderRows:
    """The rows of a release folder, numbered through all splits in the family's order."""

    def __init__(self, family: Family, manifest: Manifest, splits: tuple[Split, ...], ids: IdTable) -> None:
        """Hold what `open_folder` found."""
        self.family = family
        self.manifest = manifest
        self.splits = splits
        self._ids: IdTable | None = ids

    def __len__(self) -> int:
        return sum(map(len, self.splits))

    def split_of(self, number: int) -> Split:
        """Return the split that holds a row."""
        return next(split for split in reversed(self.splits) if split.first <= number)

    def find_id(self, row_id: str) -> int | None:
        """Return the number of the row with an id, or None."""
        if self._ids is None:
            raise ValueError("the ids were dropped")
        return self._ids.find(row_id)

    def find_seed(self, split_name: str, seed: int) -> int | None:
        """Return the number of the row of a seed, or None."""
        for split in self.splits:
            if split.name == split_name and split.seeds and split.seeds[0] <= seed <= split.seeds[-1]:
                place = bisect_left(split.seeds, seed)
                return split.first + place if split.seeds[place] == seed else None
        return None

    def drop_ids(self) -> None:
        """Give the memory of the ids back, once every answer has found its row."""
        self._ids = None

    def item(self, number: int) -> Item:
        """Read the rows of one number."""
        split = self.split_of(number)
        place = number - split.first
        return Item(public=split.public[place], truth=split.truth[place])


@contextmanager
def open_folder(folder: Path, show: Show) -> Iterator[FolderRows]:
    """Find and check the rows of a release folder.

    Args:
        folder: the release folder.
        show: told how many rows were read.

    Raises:
        CheckFailed: the folder is damaged.
        CannotRun: it is no release folder.
        OSError: it cannot be read.
    """
    manifest = read_manifest(folder)
    family = _family_of(manifest, folder)
    with ExitStack() as stack:
        yield _read_splits(stack, folder, family, manifest, show)


def _read_splits(stack: ExitStack, folder: Path, family: Family, manifest: Manifest, show: Show) -> FolderRows:
    """Read every split; the files stay open as long as the stack."""
    public, truth = (manifest.configs[config] for config in family.configs)
    total = sum(rows.rows for rows in public.values())
    fingerprints = array("Q")
    splits = []
    for name in (split for split in family.splits if split in public):
        reader = _SplitReader(folder, family, name, (public[name], truth[name]))
        splits.append(reader.read(stack, fingerprints, lambda: show(len(fingerprints), total)))
    try:
        ids = IdTable(fingerprints)
    except RepeatedId as repeated:
        raise CheckFailed(f"{folder}: row {repeated} has the id of another row; rebuild the folder") from None
    return FolderRows(family, manifest, tuple(splits), ids)


def _family_of(manifest: Manifest, folder: Path) -> Family:
    """Return the family, and make sure that the manifest has both configs with the same known splits."""
    try:
        family = get_family(manifest.family)
    except UsageError as error:
        raise CheckFailed(f"{folder / MANIFEST}: {error}") from None
    splits = [set(manifest.configs.get(config, ())) for config in family.configs]
    if not splits[0] or splits[0] != splits[1] or splits[0] - set(family.splits):
        raise CheckFailed(
            f"{folder / MANIFEST}: {family.configs[0]} and {TRUTH} do not both hold the same splits of {family.name}; "
            "rebuild the folder"
        )
    return family


@dataclass(frozen=True, slots=True)
class _SplitReader:
    """Reads both configs of one split in step."""

    folder: Path
    family: Family
    split: str
    listed: tuple[SplitRows, SplitRows]

    def read(self, stack: ExitStack, fingerprints: array[int], on_row: Callable[[], object]) -> Split:
        """Find the lines, appending the fingerprint of each id.

        Raises:
            CheckFailed: the rows are not those of the manifest, or a public row and its truth row do not match.
        """
        files = [stack.enter_context(self._open(config)) for config in self.family.configs]
        offsets, seeds, first = (array("Q"), array("Q")), array("q"), len(fingerprints)
        hashes = (hashlib.sha256(), hashlib.sha256())
        places = [0, 0]
        for lines in zip_longest(*files, fillvalue=b""):
            for side, line in enumerate(lines):
                hashes[side].update(line)
                offsets[side].append(places[side])
                places[side] += len(line)
            row_id, seed = self._identify(lines, len(offsets[0]))
            fingerprints.append(fingerprint(row_id))
            if seed is not None:
                if len(seeds) != len(offsets[0]) - 1 or (seeds and seed <= seeds[-1]):
                    raise self._damaged(f"row {len(offsets[0])} of {self.split} breaks the order of the seeds")
                seeds.append(seed)
            on_row()
        for config, listed, digest in zip(self.family.configs, self.listed, hashes, strict=True):
            if digest.hexdigest() != listed.rows_sha256:
                raise self._damaged(f"the rows of {config}/{self.split} are not those of the manifest")
        return Split(self.split, first, seeds, *map(_Lines, files, offsets))

    @contextmanager
    def _open(self, config: str) -> Iterator[IO[bytes]]:
        """Open the JSONL, or write it to a temporary file where the folder has Parquet only."""
        path = self.folder / jsonl_path(config, self.split)
        if path.is_file():
            with path.open("rb") as file:
                yield file
            return
        with tempfile.TemporaryFile() as file:
            file.writelines(read_lines(self.folder, config, self.split))
            file.seek(0)
            yield file

    def _identify(self, lines: tuple[bytes, ...], number: int) -> tuple[str, int | None]:
        """Return the id and seed of a row pair."""
        try:
            public, truth = map(orjson.loads, lines)
            row_id = self.family.row_id(public)
            seed = public.get("seed")
            if row_id != self.family.row_id(truth):
                problem = "the public row and the truth row have different ids"
            elif seed is not None and not (type(seed) is int and 0 <= seed <= MAX_SEED):
                problem = "the seed is no seed"
            else:
                return row_id, seed
        except orjson.JSONDecodeError as error:
            problem = f"a row is missing or no JSON ({error})"
        except (KeyError, TypeError, AttributeError) as error:
            problem = f"a row has not the keys that it should have ({type(error).__name__}: {error})"
        raise self._damaged(f"row {number} of {self.split}: {problem}")

    def _damaged(self, problem: str) -> CheckFailed:
        return CheckFailed(f"{self.folder} is damaged: {problem}; run: closebench-hub verify {self.folder}")
