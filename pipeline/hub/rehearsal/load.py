"""Loads every config and split of a repo as its users do: ``python -m … REPO REVISION FOLDER``.

FOLDER is the release that was pushed; every row must equal it.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

from pipeline.build.encode import canonical_line
from pipeline.build.manifest import CARD, Manifest, read_manifest
from pipeline.hub.content import rows_of
from pipeline.reading import drop_absent


def main(repo_id: str, revision: str, folder: Path) -> int:
    """Load and compare; print a line for each difference, and at the end the number of rows."""
    import datasets

    datasets.disable_progress_bars()
    manifest = read_manifest(folder)
    total, wrong = 0, 0
    for (config, split), rows in rows_of(manifest).items():
        where = _where(manifest, config, split, with_card=(folder / CARD).is_file())
        for streaming in (False, True):
            digest, number = hashlib.sha256(), 0
            for row in datasets.load_dataset(repo_id, split=split, revision=revision, streaming=streaming, **where):
                digest.update(canonical_line(drop_absent(row), f"{config}/{split}"))
                number += 1
            total += number
            if digest.hexdigest() != rows.rows_sha256:
                print(f"{config}/{split}, streaming={streaming}: {number} of {rows.rows} rows, or others than pushed")
                wrong += 1
    print(f"{total:,} rows")
    return 1 if wrong else 0


def _where(manifest: Manifest, config: str, split: str, *, with_card: bool) -> dict[str, Any]:
    """Say where the rows are: the card names the configs; without one the files have to be named."""
    if with_card:
        return {"name": config}
    prefix = f"{config}/{split}-"
    return {"data_files": {split: [file.path for file in manifest.files if file.path.startswith(prefix)]}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
