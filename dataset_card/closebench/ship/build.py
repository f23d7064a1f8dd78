# /// script
# requires-python = ">=3.10"
# dependencies = ["closebench==0.1.1"]
# ///
"""Rewrite data/ beside this script: the rows of the seeds listed in it, the same bytes every time.

Edit HARD_SEEDS and ABSENCE_SEEDS for a set of your own. Needs closebench 0.1.1 and nothing else.

Examples:
  python build.py                        closebench is installed (pip install closebench==0.1.1)
  python build.py --src ../closebench    from a checkout of closebench
  uv run build.py                        nothing is installed

Exit codes: 0 done; 2 wrong usage; 3 could not run, and data/ is as it was
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import sys
from pathlib import Path

HARD_SEEDS = range(1, 51)  # from 0 to 999
ABSENCE_SEEDS = range(1001, 1051)  # from 1000 to 2^63-1

VERSION = "0.1.1"
LANGS = ("en", "ru")
FOLDER = Path(__file__).absolute().parent  # symlinks unresolved: the Hub's cache keeps the files themselves elsewhere


class Stop(Exception):
    """The script cannot go on: an exit code and a message."""


def load_world(src: Path | None) -> type:
    """Return closebench's class World, from the installed package or from a checkout."""
    if src:
        root = next((root for root in (src, src / "src") if (root / "closebench/__init__.py").is_file()), None)
        if not root:
            raise Stop(3, f"--src {src} has no folder closebench in it; give the root of a closebench checkout")
        sys.path.insert(0, str(root))
    try:
        found = getattr(importlib.import_module("closebench"), "__version__", "none")
        if found == VERSION:
            return importlib.import_module("closebench.world").World
    except ImportError as error:
        found = "none" if error.name == "closebench" else f"a broken one ({error})"
    raise Stop(3, f"closebench {VERSION} is needed and {found} was found; run: pip install closebench=={VERSION}")


def wanted_seeds() -> list[int]:
    """Return the seeds in the order of the rows."""
    for name, low, high in (("HARD_SEEDS", 0, 999), ("ABSENCE_SEEDS", 1000, 2**63 - 1)):
        seeds = globals()[name] if isinstance(globals()[name], (list, tuple, range)) else ["no list"]
        wrong = [seed for seed in seeds if type(seed) is not int or not low <= seed <= high]
        if wrong:
            raise Stop(2, f"{name} has {wrong[0]!r}; give a list or range of integers from {low} to {high}")
        if len(set(seeds)) < len(seeds):
            raise Stop(2, f"{name} names a seed twice; name each seed once")
    if not HARD_SEEDS and not ABSENCE_SEEDS:
        raise Stop(2, "HARD_SEEDS and ABSENCE_SEEDS are empty; give at least one seed")
    return sorted([*HARD_SEEDS, *ABSENCE_SEEDS])


def make_rows(world_class: type, seed: int, lang: str) -> dict[str, dict]:
    """Make the two rows of a seed: what an agent may see, and the answer key."""
    mode = "absence" if seed >= 1000 else "hard"
    world = world_class(seed=seed, lang=lang, difficulty=mode).build()
    head, shown = {"seed": seed, "mode": mode, "lang": lang}, world.snapshot()
    public = {key: shown[key] for key in ("company", "period", "accounts", "entries", "documents")}
    return {"worlds": {**head, **public}, "truth": {**head, **world.truth()}}


def write(world_class: type, seeds: list[int]) -> dict[str, str]:
    """Write the four files beside their places, move them in when all are whole; return their SHA-256."""
    data = FOLDER / "data"
    data.mkdir(exist_ok=True)
    names = [f"{config}-{lang}.jsonl" for config in ("truth", "worlds") for lang in LANGS]
    parts = {name: data / f".{name}.{os.getpid()}" for name in names}
    digests = {name: hashlib.sha256() for name in names}
    try:
        with contextlib.ExitStack() as stack:
            files = {name: stack.enter_context(part.open("wb")) for name, part in parts.items()}
            for seed, lang in ((seed, lang) for seed in seeds for lang in LANGS):
                for config, row in make_rows(world_class, seed, lang).items():
                    line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                    files[f"{config}-{lang}.jsonl"].write(line)
                    digests[f"{config}-{lang}.jsonl"].update(line)
        for name, part in parts.items():
            part.replace(data / name)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    return {f"data/{name}": digest.hexdigest() for name, digest in digests.items()}


def main() -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, metavar="PATH", help="use this checkout of closebench")
    try:
        for path, digest in write(load_world(parser.parse_args().src), wanted_seeds()).items():
            print(f"{digest}  {path}")
    except Stop as stop:
        print(f"error: {stop.args[1]}", file=sys.stderr)
        return stop.args[0]
    except (OSError, KeyboardInterrupt) as error:
        print(f"error: {error or 'stopped'}; data/ is as it was", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
