"""Runs inside a reader's venv: loads release folders with that reader and compares every value.

``python -m compat.check READER FOLDER...`` prints the reader's version and one `Result` a part and mode, as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

from compat.compare import compare_rows, shape_of
from compat.matrix import Reader, get_reader
from compat.release import Part, find_parts
from compat.snippets import HELPER, PAGE, read_snippets

SNIPPET_PART = ("closebench", "worlds", "en")
"""The family, config and split that the snippets of ``docs/loading.md`` load."""

Read = Callable[[Part, str], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Result:
    """What one reader made of one part.

    Attributes:
        family, config, split: the part.
        mode: how it was read; ``docs/loading.md`` for the snippet on that page.
        rows: how many rows were equal.
        difference: the first difference or the reader's own error; None if there is none.
    """

    family: str
    config: str
    split: str
    mode: str
    rows: int
    difference: str | None


def check_part(part: Part, mode: str, read: Read) -> Result:
    """Read a part in one mode and compare it with its JSONL. An error of the reader is a difference."""
    try:
        rows, difference = compare_rows(shape_of(part.schema), part.rows(), read(part, mode))
    except Exception as error:  # whatever a reader raises on our files is what the proof is about
        rows, difference = 0, f"{type(error).__name__}: {error}"
    return Result(part.family, part.config, part.split, mode, rows, difference)


def check_snippet(part: Part, code: str) -> Result:
    """Run a snippet in the release folder; its ``rows`` must be the rows of the JSONL, absent keys absent."""
    before = Path.cwd()
    os.chdir(part.folder)
    try:
        names: dict[str, Any] = {}
        exec(compile(code, str(PAGE), "exec"), names)
        found, wanted = (list(map(_canonical, rows)) for rows in (names["rows"], part.rows()))
        rows = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(found, wanted, strict=False)))
        difference = None if found == wanted else f"row {rows}: the snippet gives another row than the JSONL"
    except Exception as error:
        rows, difference = 0, f"{type(error).__name__}: {error}"
    finally:
        os.chdir(before)
    return Result(part.family, part.config, part.split, "docs/loading.md", rows, difference)


def check(reader: Reader, folders: list[Path]) -> list[Result]:
    """Read everything in every mode of a reader, and run its snippet."""
    read: Read = importlib.import_module(f"compat.readers.{reader.module}").read
    parts = [part for folder in folders for part in find_parts(folder)]
    results = [check_part(part, mode, read) for part in parts for mode in reader.modes]
    snippets = read_snippets(PAGE.read_text(encoding="utf-8"))
    code = snippets[HELPER] + snippets[reader.package]
    shown = [part for part in parts if (part.family, part.config, part.split) == SNIPPET_PART]
    return results + [check_snippet(part, code) for part in shown]


def main(name: str, folders: list[Path]) -> None:
    """Check and print."""
    reader = get_reader(name)
    results = [asdict(result) for result in check(reader, folders)]
    json.dump({"version": version(reader.package), "results": results}, sys.stdout)


def _canonical(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


if __name__ == "__main__":
    main(sys.argv[1], list(map(Path, sys.argv[2:])))
