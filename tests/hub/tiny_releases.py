"""Release folders of three data files, made in a moment: enough to publish, not enough to verify."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.build.digest import digest_file
from pipeline.build.manifest import MANIFEST, SUMS, Manifest, SplitRows, checksum_lines

ROWS = ({"seed": 1, "text": "a"}, {"seed": 2, "text": "b"})
ATTRIBUTES = b"* -text\n*.parquet filter=lfs diff=lfs merge=lfs -text\n"
CARD = "---\nlicense: mit\n---\n# Tiny\n"


@dataclass(frozen=True)
class Tiny:
    """Writes them.

    Attributes:
        manifest: a real one, for everything that does not matter here.
        parent: where they go.
    """

    manifest: Manifest
    parent: Path

    def write(
        self,
        name: str = "release",
        *,
        version: str = "1.0.0",
        rows: Sequence[Mapping[str, Any]] = ROWS,
        pyarrow: str = "26.0.1",
        card: str | None = CARD,
        shards: int = 1,
        family: str = "closebench",
    ) -> Path:
        """Write a release; a Parquet file is a stand-in of its rows, its shard and its writer."""
        folder = self.parent / name
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()
        files = {"data/worlds-en.jsonl": lines, ".gitattributes": ATTRIBUTES}
        for shard in range(shards):
            path = f"worlds/en-{shard:05d}-of-{shards:05d}.parquet"
            files[path] = b"PAR1\0" + lines + f"{shard} by {pyarrow}".encode()
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        manifest = replace(
            self.manifest,
            family=family,
            data_version=version,
            versions={"pyarrow": pyarrow},
            configs={"worlds": {"en": SplitRows(len(rows), "1-2", len(lines), hashlib.sha256(lines).hexdigest())}},
            files=tuple(digest_file(folder, path) for path in sorted(files)),
        )
        (folder / MANIFEST).write_bytes(manifest.to_json())
        listed = [*manifest.files, digest_file(folder, MANIFEST)]
        if card is not None:
            (folder / "README.md").write_text(card)
            listed.append(digest_file(folder, "README.md"))
        (folder / SUMS).write_bytes(checksum_lines(listed))
        return folder


def run(push: Any) -> Any:
    """Do a push without asking anybody."""
    push.check_access()
    return push.carry_out(push.prepare())
