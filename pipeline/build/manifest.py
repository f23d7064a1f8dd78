"""``manifest.json`` and ``SHA256SUMS``: what a release folder says of itself.

The manifest is canonical: sorted, without clock, host or path of a machine. Parameters stand beside the digests that
they produced (the idea of sigstore/model-transparency ``manifest.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from pipeline.build.digest import FileDigest, digest_file
from pipeline.errors import CannotRun, CheckFailed
from pipeline.families.base import Generator

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
CARD = "README.md"
UNLISTED = frozenset({CARD, SUMS, MANIFEST})
"""Files of a release folder that the manifest does not list: they are derived from it, or it itself."""

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class SplitRows:
    """The rows of one split of one config.

    Attributes:
        rows: how many.
        seeds: the seeds as `Seeds` writes them.
        bytes: size of the canonical JSONL.
        rows_sha256: its digest: the identity of the data, whatever the file format.
    """

    rows: int
    seeds: str
    bytes: int
    rows_sha256: str


NO_ROWS = SplitRows(0, "", 0, "")
"""Stands for a split that is not there."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of one release folder.

    Attributes:
        family: the family's name.
        data_version: the version of the data (semantic; MAJOR when rows change).
        canary: the line that marks the data as a benchmark.
        pinned: whether all rows are those of the committed pin of that version.
        generator: the code that made the rows.
        versions: the versions of the packages that set bytes.
        formats: the formats written.
        rows_per_shard: the shard size asked for.
        configs: rows by config and split.
        files: every file but `UNLISTED`, sorted by path.
    """

    family: str
    data_version: str
    canary: str
    pinned: bool
    generator: Generator
    versions: Mapping[str, str]
    formats: tuple[str, ...]
    rows_per_shard: int
    configs: Mapping[str, Mapping[str, SplitRows]]
    files: tuple[FileDigest, ...]

    def to_json(self) -> bytes:
        """Write the manifest, always the same bytes for the same content."""
        content = {"manifest_format": _FORMAT, **asdict(self)}
        return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, data: bytes) -> Manifest:
        """Read a manifest, trusting nothing: every value has the type that it should have, every path stays inside.

        Raises:
            CheckFailed: the bytes are no manifest of this format; the message says what is wrong with them.
        """
        try:
            content = json.loads(data)
            json.dumps(content, ensure_ascii=False).encode()  # a text may hold half of a surrogate pair
        except (ValueError, RecursionError) as error:
            raise CheckFailed(f"{MANIFEST} is no JSON of valid text: {error}; rebuild the folder") from None
        problem = next(iter(_validator().iter_errors(content)), None)
        if problem is not None:
            place = "/".join(map(str, problem.instance_path)) or "as a whole"
            raise CheckFailed(f"{MANIFEST} is damaged: {place}: {problem.message[:200]}; rebuild the folder")
        return cls(
            family=content["family"],
            data_version=content["data_version"],
            canary=content["canary"],
            pinned=content["pinned"],
            generator=Generator(**content["generator"]),
            versions=content["versions"],
            formats=tuple(content["formats"]),
            rows_per_shard=content["rows_per_shard"],
            configs={
                config: {split: SplitRows(**rows) for split, rows in by_split.items()}
                for config, by_split in content["configs"].items()
            },
            files=tuple(FileDigest(**file) for file in content["files"]),
        )


@cache
def _validator() -> jsonschema_rs.Validator:
    """Return the validator of manifests."""
    count = {"type": "integer", "minimum": 1, "maximum": 2**63}
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    # No absolute path, no `..`, `.` or empty step, no backslash or control character.
    path = {"type": "string", "pattern": r"^(?!/)(?!.*(^|/)(\.{0,2})(/|$))[^\\\x00-\x1f]+$", "maxLength": 4096}
    name = {"type": "string", "pattern": "^[a-z0-9_]+$"}
    word = {"type": "string", "pattern": "^[!-~]{1,100}$"}

    def record(**properties: object) -> dict[str, object]:
        return {
            "type": "object",
            "additionalProperties": False,
            "required": list(properties),
            "properties": properties,
        }

    def table(values: object) -> dict[str, object]:
        return {"type": "object", "minProperties": 1, "propertyNames": name, "additionalProperties": values}

    split = record(rows=count, seeds={"type": "string", "pattern": "^[0-9,-]+$"}, bytes=count, rows_sha256=digest)
    return jsonschema_rs.validator_for(
        record(
            manifest_format={"const": _FORMAT},
            family=name,
            data_version={"type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]{1,9}){2}$"},
            canary={"type": "string", "pattern": "^[ -~]{1,200}$"},
            pinned={"type": "boolean"},
            generator=record(package=word, version=word, source_sha256=digest),
            versions={"type": "object", "propertyNames": word, "additionalProperties": word},
            formats={"enum": [["jsonl", "parquet"], ["jsonl"], ["parquet"]]},
            rows_per_shard=count,
            configs=table(table(split)),
            files={"type": "array", "items": record(path=path, bytes={"type": "integer", "minimum": 0}, sha256=digest)},
        )
    )


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a release folder.

    Raises:
        CannotRun: the folder is no release folder, or its manifest cannot be read.
        CheckFailed: the manifest is damaged.
    """
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise CannotRun(
            f"{folder} is no release folder ({MANIFEST}: {error.strerror}); "
            "name one, or build it with closebench-hub build"
        ) from None
    return Manifest.from_json(data)


def checksum_lines(files: Iterable[FileDigest]) -> bytes:
    """Write ``SHA256SUMS`` as ``sha256sum`` does, sorted by path."""
    return "".join(f"{file.sha256}  {file.path}\n" for file in sorted(files, key=lambda file: file.path)).encode()


def release_checksums(folder: Path, manifest: Manifest) -> bytes:
    """Write ``SHA256SUMS`` of a release folder: the manifest's files, the manifest and the card.

    Raises:
        OSError: the manifest or the card cannot be read.
    """
    return checksum_lines([*manifest.files, *(digest_file(folder, path) for path in (CARD, MANIFEST))])


def is_release_of(folder: Path, family: str) -> bool:
    """Tell whether a folder is a release folder of a family, however damaged."""
    try:
        content: Any = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("family") == family and "manifest_format" in content
