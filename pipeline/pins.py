"""Pins: the committed SHA-256 that a build of the published seeds must reproduce.

``data/pins/<family>-<data version>.sha256`` has a line for each JSONL file, as ``sha256sum`` writes it;
the ``.rows`` file beside it has one for each row, so that a difference is traced to a seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import orjson

from pipeline import resources
from pipeline.build.manifest import NO_ROWS, read_manifest
from pipeline.build.plan import jsonl_path
from pipeline.errors import CheckFailed, PinMismatch, UsageError
from pipeline.families.base import Family
from pipeline.reading import read_lines


def read_pin(family: Family) -> dict[str, str]:
    """Return the pinned digest of each JSONL file name, such as ``worlds-en.jsonl``; empty if there is no pin."""
    return {name: digest for digest, name in _read(resources.pin_path(family.name, family.data_version))}


def read_row_pins(family: Family) -> dict[str, str]:
    """Return the pinned digest of each row, by ``<file name>:<row id>``; empty if there is no such file."""
    return {name: digest for digest, name in _read(resources.row_pin_path(family.name, family.data_version))}


def check_pins(family: Family, built: Mapping[str, str], lines_of: Callable[[str], Iterable[bytes]]) -> None:
    """Compare built files with the pin.

    Args:
        family: the family.
        built: the digest of each built JSONL file name that the pin covers.
        lines_of: gives the canonical lines of such a file; asked only where a file differs.

    Raises:
        PinMismatch: naming the first file that differs, both digests and the first differing seed.
    """
    pinned = read_pin(family)
    for name, digest in built.items():
        if digest != pinned[name]:
            raise PinMismatch(
                f"{name} does not reproduce its pin: built {digest}, pinned {pinned[name]} in "
                f"data/pins/{family.name}-{family.data_version}.sha256; "
                f"{_first_difference(family, name, lines_of(name))}"
            )


def _first_difference(family: Family, name: str, lines: Iterable[bytes]) -> str:
    row_pins = read_row_pins(family)
    for line in lines:
        row = orjson.loads(line)
        if row_digest(line) != row_pins.get(f"{name}:{family.row_id(row)}"):
            seed = f", seed {row['seed']}" if "seed" in row else ""
            return f"the first row that differs is {family.row_id(row)}{seed}"
    return "no row differs from its own pin, so rows are missing or the two pin files disagree"


def write_pin(family: Family, folder: Path) -> Path:
    """Write the pin of a family's data version from a release folder of its published seeds.

    Both files are written or neither; a pin that is there is never changed.

    Returns:
        The pin file.

    Raises:
        UsageError: the folder holds other seeds, or the pin exists and says something else.
        CheckFailed: the folder's rows are not those that its manifest says.
        CannotRun: the folder cannot be read.
    """
    manifest = read_manifest(folder)
    for split, seeds in family.default_seeds.items():
        if any(manifest.configs[config].get(split, NO_ROWS).seeds != str(seeds) for config in family.configs):
            raise UsageError(
                f"{folder} does not hold the published seeds of {split}; build {family.name} without --seeds"
            )
    files, rows = "", ""
    for config in family.configs:
        for split in family.splits:
            name, whole = pin_name(config, split), hashlib.sha256()
            for line in read_lines(folder, config, split):
                whole.update(line)
                rows += f"{row_digest(line)}  {name}:{family.row_id(orjson.loads(line))}\n"
            if whole.hexdigest() != manifest.configs[config][split].rows_sha256:
                raise CheckFailed(f"{folder}: {config}/{split} does not hold the rows of its manifest; build it again")
            files += f"{whole.hexdigest()}  {name}\n"
    path = resources.pin_path(family.name, family.data_version)
    if path.is_file() and path.read_text(encoding="utf-8") != files:
        raise UsageError(
            f"{path} pins other rows; data that changed needs a new data version (MAJOR) in the family, not a new pin"
        )
    for target, text in ((resources.row_pin_path(family.name, family.data_version), rows), (path, files)):
        if not target.is_file():
            beside = target.with_name(f".{target.name}.new")
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
    return path


def pin_name(config: str, split: str) -> str:
    """Return the name by which pins know the JSONL file of a config and split."""
    return Path(jsonl_path(config, split)).name


def row_digest(line: bytes) -> str:
    """Digest one row: the SHA-256 of its canonical line without the line feed."""
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def _read(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            digest, _, name = line.partition("  ")
            yield digest, name
