"""What differs between two releases: files, and rows with the fields that changed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Protocol

from pipeline.build.manifest import MANIFEST, Manifest
from pipeline.build.plan import jsonl_path
from pipeline.errors import CannotRun
from pipeline.families.base import Row
from pipeline.hub.client import Hub
from pipeline.hub.content import FIXED, FileId, Release, rows_of
from pipeline.reading import read_rows

_KEPT = 5
"""Rows that are named of each kind."""


class Side(Protocol):
    """One of two releases."""

    @property
    def manifest(self) -> Manifest:
        """Its manifest."""

    @property
    def files(self) -> Mapping[str, FileId]:
        """Its files by path."""

    def rows(self, config: str, split: str) -> Iterator[Row]:
        """Yield the rows of a config and split."""


@dataclass(frozen=True, slots=True)
class LocalSide:
    """A release folder."""

    release: Release

    @property
    def manifest(self) -> Manifest:
        """See `Side`."""
        return self.release.manifest

    @property
    def files(self) -> Mapping[str, FileId]:
        """See `Side`."""
        return self.release.files

    def rows(self, config: str, split: str) -> Iterator[Row]:
        """See `Side`."""
        return read_rows(self.release.folder, config, split)


@dataclass(frozen=True, slots=True)
class RemoteSide:
    """A commit of a repo, of which no more is downloaded than is asked for.

    Attributes:
        folder: takes the downloads.
    """

    hub: Hub
    repo_id: str
    commit: str
    files: Mapping[str, FileId]
    manifest: Manifest
    folder: Path

    def rows(self, config: str, split: str) -> Iterator[Row]:
        """See `Side`."""
        path = jsonl_path(config, split)
        shards = [file for file in self.files if file.startswith(f"{config}/{split}-") and file.endswith(".parquet")]
        self.hub.download(self.repo_id, self.commit, [path] if path in self.files else shards, self.folder)
        return read_rows(self.folder, config, split)


@contextmanager
def open_remote(hub: Hub, repo_id: str, revision: str) -> Iterator[RemoteSide]:
    """Open a revision of a repo for a comparison.

    Raises:
        CannotRun: it cannot be read, or holds no release.
        CheckFailed: its manifest is damaged.
    """
    commit = hub.resolve(repo_id, revision)
    files = hub.files(repo_id, commit)
    if MANIFEST not in files:
        raise CannotRun(f"{repo_id}@{revision} holds no release: it has no {MANIFEST}; name another revision")
    with tempfile.TemporaryDirectory(prefix="closebench-hub-") as name:
        folder = Path(name)
        manifest = Manifest.from_json(hub.read(repo_id, commit, MANIFEST, folder))
        yield RemoteSide(hub, repo_id, commit, files, manifest, folder)


@dataclass(slots=True)
class RowsDiff:
    """The rows of one config and split that differ.

    Attributes:
        config: the config.
        split: the split.
        added: how many rows only the second side has.
        removed: how many rows only the first side has.
        changed: how many are in both, and differ.
        fields: in how many of the changed rows a field differs, by its path with ``[]`` for any element.
        examples: names of a few rows, by ``added``, ``removed`` and ``changed``.
    """

    config: str
    split: str
    added: int = 0
    removed: int = 0
    changed: int = 0
    fields: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, kind: str, name: str) -> None:
        """Remember the name of a row, if it is among the first."""
        names = self.examples.setdefault(kind, [])
        if len(names) < _KEPT:
            names.append(name)


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """All that differs between two releases.

    Attributes:
        versions: the data versions of both.
        added: files that only the second has.
        removed: files that only the first has.
        changed: files that differ.
        rows: a part for each config and split whose rows differ.
    """

    versions: tuple[str, str]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    rows: tuple[RowsDiff, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.added or self.removed or self.changed or self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return asdict(self)


def diff_releases(first: Side, second: Side) -> ReleaseDiff:
    """Compare two releases; rows are read only where their digests differ.

    Raises:
        CannotRun: rows cannot be read.
    """
    before, after = rows_of(first.manifest), rows_of(second.manifest)
    places = [place for place in {**before, **after} if _digest(before, place) != _digest(after, place)]
    rows = [
        diff_rows(
            *place,
            first.rows(*place) if place in before else (),
            second.rows(*place) if place in after else (),
        )
        for place in places
    ]
    # A repo may hold files of others, which are no part of either release.
    one, other = _of_release(first), _of_release(second)
    return ReleaseDiff(
        (first.manifest.data_version, second.manifest.data_version),
        tuple(sorted(set(other) - set(one))),
        tuple(sorted(set(one) - set(other))),
        tuple(sorted(path for path in set(one) & set(other) if not one[path].same(other[path]))),
        tuple(rows),
    )


def _digest(rows: Mapping[tuple[str, str], Any], place: tuple[str, str]) -> str | None:
    return rows[place].rows_sha256 if place in rows else None


def _of_release(side: Side) -> dict[str, FileId]:
    listed = {*FIXED, *(file.path for file in side.manifest.files)}
    return {path: file for path, file in side.files.items() if path in listed}


def diff_rows(config: str, split: str, first: Iterable[Row], second: Iterable[Row]) -> RowsDiff:
    """Compare the rows of a config and split, matched by name, whatever their order.

    Holds only the rows in memory that have not met their partner yet: few, if both sides are in the same order.
    """
    diff = RowsDiff(config, split)
    waiting: tuple[dict[str, Row], dict[str, Row]] = ({}, {})
    for pair in zip_longest(first, second):
        for side, row in enumerate(pair):
            if row is None:
                continue
            name = row_name(row)
            partner = waiting[1 - side].pop(name, None)
            if partner is None:
                waiting[side][name] = row
            elif row != partner:
                _note_change(diff, name, *((partner, row) if side else (row, partner)))
    diff.removed, diff.added = len(waiting[0]), len(waiting[1])
    for kind, names in (("removed", waiting[0]), ("added", waiting[1])):
        for name in names:
            diff.note(kind, name)
    return diff


def row_name(row: Row) -> str:
    """Name a row within its split: by its id, else by its seed."""
    return str(row["id"]) if "id" in row else f"seed {row.get('seed')}"


def _note_change(diff: RowsDiff, name: str, old: Row, new: Row) -> None:
    diff.changed += 1
    diff.note("changed", name)
    for path in set(changed_fields(old, new)):
        diff.fields[path] = diff.fields.get(path, 0) + 1


def changed_fields(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every value that differs, such as ``errors[].fix.amount``."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            place = f"{path}.{key}" if path else key
            if key in old and key in new:
                yield from changed_fields(old[key], new[key], place)
            else:
                yield place
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}[]"
        for one, other in zip(old, new, strict=False):
            yield from changed_fields(one, other, f"{path}[]")
    elif old != new or type(old) is not type(new):
        yield path
