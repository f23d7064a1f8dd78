"""Files as both sides know them: by the digests that the Hub lists, which a folder can compute too."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.build.manifest import CARD, MANIFEST, SUMS, Manifest, SplitRows, read_manifest
from pipeline.errors import CheckFailed

FIXED = (CARD, SUMS, MANIFEST)
"""Files of a release that its manifest does not list."""

_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class FileId:
    """One file and what it is known by.

    The Hub lists git's name for a file that git stores and the SHA-256 for a large file; a local file has both.

    Attributes:
        path: POSIX path.
        bytes: size of the content.
        sha256: of the content; None where the Hub lists git's name alone.
        git: the name of the blob in git (SHA-1); None for a large file on the Hub.
    """

    path: str
    bytes: int
    sha256: str | None
    git: str | None

    def same(self, other: FileId | None) -> bool:
        """Tell whether both have the same content; sides that have no digest in common count as different."""
        if other is None or self.bytes != other.bytes:
            return False
        if self.sha256 and other.sha256:
            return self.sha256 == other.sha256
        return bool(self.git) and self.git == other.git

    def digest_like(self, other: FileId | None) -> str:
        """Return the digest of the kind that `other` has, so that both can be shown side by side."""
        wanted = self.git if other is not None and other.sha256 is None else self.sha256
        return wanted or self.sha256 or self.git or ""


def read_file_id(folder: Path, path: str) -> FileId:
    """Read a local file once and name it in both ways.

    Raises:
        OSError: it cannot be read.
    """
    size = (folder / path).stat().st_size
    sha256 = hashlib.sha256()
    git = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with (folder / path).open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha256.update(chunk)
            git.update(chunk)
    return FileId(path, size, sha256.hexdigest(), git.hexdigest())


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder, read.

    Attributes:
        folder: where it lies.
        manifest: its manifest.
        files: every file that is published, by path.
        attributes: the text of its ``.gitattributes``; empty if it ships none.
    """

    folder: Path
    manifest: Manifest
    files: Mapping[str, FileId]
    attributes: str

    @property
    def tag(self) -> str:
        """The tag of its data version."""
        return f"v{self.manifest.data_version}"

    @property
    def name(self) -> str:
        """Family and data version, as people say it."""
        return f"{self.manifest.family} {self.manifest.data_version}"


def read_release(folder: Path) -> Release:
    """Read the manifest of a release folder and digest every file that it publishes.

    Raises:
        CannotRun: it is no release folder.
        CheckFailed: the manifest is damaged, or a file is not the one that it lists.
        OSError: a file cannot be read.
    """
    manifest = read_manifest(folder)
    fixed = [path for path in FIXED if (folder / path).is_file()]
    files = {path: read_file_id(folder, path) for path in sorted({*fixed, *(file.path for file in manifest.files)})}
    for listed in manifest.files:
        found = files[listed.path]
        if (found.bytes, found.sha256) != (listed.bytes, listed.sha256):
            raise CheckFailed(f"{folder / listed.path} is not the file that the manifest lists; rebuild the folder")
    attributes = folder / ".gitattributes"
    text = attributes.read_text(encoding="utf-8") if ".gitattributes" in files else ""
    return Release(folder, manifest, files, text)


def rows_of(manifest: Manifest) -> dict[tuple[str, str], SplitRows]:
    """Return the rows of every config and split."""
    return {(config, split): rows for config, by_split in manifest.configs.items() for split, rows in by_split.items()}


def different_rows(one: Manifest, other: Manifest) -> list[str]:
    """Name every config and split whose rows differ between two releases, as ``truth/en``."""
    first = {place: rows.rows_sha256 for place, rows in rows_of(one).items()}
    second = {place: rows.rows_sha256 for place, rows in rows_of(other).items()}
    places = {**first, **second}
    return [
        f"{config}/{split}" for config, split in places if first.get((config, split)) != second.get((config, split))
    ]
