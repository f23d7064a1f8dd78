"""Runs inside a reader's venv: loads release folders from the Hub of the environment and compares every value.

``python -m compat.hub_check FOLDER...`` prints the reader's version, the rows that were equal and the differences, as
JSON. The folders are those that the repos ``me/<family>`` were pushed from.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import datasets

from compat.compare import compare_rows, shape_of
from compat.release import find_parts


def main(folders: list[Path]) -> None:
    """Load every config and split, plain and streaming, from main and from the tag."""
    equal = 0
    differences = []
    for folder in folders:
        tag = f"v{json.loads((folder / 'manifest.json').read_bytes())['data_version']}"
        for part, streaming, revision in product(find_parts(folder), (False, True), (None, tag)):
            where = f"{part.family} {part.config}/{part.split} at {revision}, streaming={streaming}"
            try:
                rows = datasets.load_dataset(
                    f"me/{part.family}", part.config, split=part.split, streaming=streaming, revision=revision
                )
                number, difference = compare_rows(shape_of(part.schema), part.rows(), rows)
            except Exception as error:  # whatever a reader raises on our files is what the proof is about
                number, difference = 0, f"{type(error).__name__}: {error}"
            equal += number
            if difference:
                differences.append(f"{where}: {difference}")
    json.dump({"version": datasets.__version__, "rows": equal, "differences": differences}, sys.stdout)


if __name__ == "__main__":
    main(list(map(Path, sys.argv[1:])))
