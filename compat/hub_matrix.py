"""Loads releases from the Hub on loopback with every pinned datasets: ``python -m compat.hub_matrix [FOLDER]...``.

Each FOLDER, or each one in data/build, is pushed as ``me/<family>``; then every reader loads every config and split by
the card's names, with and without a revision, plain and streaming. Exits with 1 at a difference, with 3 if a push or a
reader cannot run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat.matrix import READERS, Reader
from compat.venvs import ROOT, InstallFailed, clean_environment, ensure_venv
from pipeline.hub.loopback import LoopbackHub


def main(folders: list[Path]) -> int:
    """Push, load, print a line for each reader."""
    code = 0
    with tempfile.TemporaryDirectory() as home, LoopbackHub() as hub:
        try:
            for folder in folders:
                _push(folder, hub.environment(Path(home) / "push"))
            for reader in (reader for reader in READERS if reader.package == "datasets"):
                found = _load(reader, folders, hub.environment(Path(home) / reader.name))
                verdict = "every value equal" if not found["differences"] else "differs"
                print(f"datasets {found['version']}: {found['rows']:,} rows from the Hub, {verdict}", flush=True)
                for line in found["differences"]:
                    print(f"  {line}")
                code = code or int(bool(found["differences"]))
        except InstallFailed as error:
            print(f"error: {error}", file=sys.stderr)
            return 3
    return code


def _push(folder: Path, env: Mapping[str, str]) -> None:
    family = json.loads((folder / "manifest.json").read_bytes())["family"]
    push = ["push", f"{folder.absolute()}/", "--repo-id", f"me/{family}", "--create-repo", "--yes"]
    done = _run([sys.executable, "-m", "pipeline", *push], env)
    if done.returncode:
        raise InstallFailed(f"{folder} was not pushed: {done.stderr.strip()}")


def _load(reader: Reader, folders: list[Path], env: Mapping[str, str]) -> dict[str, Any]:
    paths = [str(folder.absolute()) for folder in folders]
    done = _run([str(ensure_venv(reader)), "-m", "compat.hub_check", *paths], env)
    if done.returncode:
        raise InstallFailed(f"{reader.name} died: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _run(words: list[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=ROOT, env={**clean_environment(), **env}, capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    given = [Path(name) for name in sys.argv[1:]]
    chosen = given or sorted(path.parent for path in (ROOT / "data" / "build").glob("*/manifest.json"))
    if not chosen:
        print("error: no release folder in data/build; run: closebench-hub build", file=sys.stderr)
        sys.exit(3)
    sys.exit(main(chosen))
