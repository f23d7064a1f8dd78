"""The one reader of the files that belong to the code but are not code.

In a checkout (or an editable install) they lie in the top-level folders ``schemas/``, ``dataset_card/`` and
``data/pins/``; a wheel carries the same tree inside the package, under ``pipeline/_resources/``.
"""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.errors import CannotRun
from pipeline.families.base import Family
from pipeline.schema import Schema

_PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """Return the folder that holds ``schemas/``, ``dataset_card/`` and ``data/pins/``.

    Raises:
        CannotRun: neither place has them, so the installation is damaged.
    """
    for folder in (_PACKAGE / "_resources", _PACKAGE.parent):
        if (folder / "schemas").is_dir():
            return folder
    raise CannotRun("the installation lacks its schemas; reinstall closebench-hub")


def schema_path(family: str, config: str) -> Path:
    """Return the JSON Schema of one config."""
    return root() / "schemas" / family / f"{config}.json"


def card_folder(family: str) -> Path:
    """Return the folder with the family's card parts and the files that ship with its data."""
    return root() / "dataset_card" / family


def shipped_files(family: Family) -> dict[str, Path]:
    """Return the files that ship with a family's data as they are, by their path in the release folder."""
    folder = card_folder(family.name) / "ship"
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    shipped = {path.relative_to(folder).as_posix(): path for path in files}
    shared = root() / "dataset_card" / "shared"
    if family.ships_solver:
        shipped["solve.py"] = _PACKAGE / "families" / family.name / "solve.py"
        shipped["verify.py"] = shared / "verify_with_solver.py"
    return {**shipped, ".gitattributes": shared / "gitattributes"}


def pin_path(family: str, data_version: str) -> Path:
    """Return the file with the SHA-256 of each JSONL file of a data version; it need not exist."""
    return root() / "data" / "pins" / f"{family}-{data_version}.sha256"


def row_pin_path(family: str, data_version: str) -> Path:
    """Return the file with the SHA-256 of each row of a data version; it need not exist."""
    return pin_path(family, data_version).with_suffix(".rows")


def load_schema(family: str, config: str) -> Schema:
    """Read the schema of one config.

    Raises:
        CannotRun: the file is missing or is no JSON.
    """
    path = schema_path(family, config)
    try:
        return Schema(f"{family}/{config}", json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise CannotRun(f"cannot read the schema {path}: {error}; reinstall closebench-hub") from None
