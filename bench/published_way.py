"""The published way to the four JSONL files: the floor that `make bench` compares with."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from closebench.cli import mode_for
from closebench.world import World

SEEDS = [*range(1, 51), *range(1001, 1051)]


def main(out: Path) -> None:
    """Write the four files into `out` and print their SHA-256."""
    out.mkdir(parents=True, exist_ok=True)
    for lang in ("en", "ru"):
        digests = {"worlds": hashlib.sha256(), "truth": hashlib.sha256()}
        with (out / f"worlds-{lang}.jsonl").open("wb") as worlds, (out / f"truth-{lang}.jsonl").open("wb") as truths:
            for seed in SEEDS:
                mode = mode_for(seed)
                world = World(seed=seed, lang=lang, difficulty=mode).build()
                snapshot = world.snapshot()
                head = {"seed": seed, "mode": mode, "lang": lang}
                row = {
                    **head,
                    **{key: snapshot[key] for key in ("company", "period", "accounts", "entries", "documents")},
                }
                for name, file, content in (("worlds", worlds, row), ("truth", truths, {**head, **world.truth()})):
                    line = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                    file.write(line)
                    digests[name].update(line)
        for name, digest in digests.items():
            print(digest.hexdigest(), f"{name}-{lang}.jsonl")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
