"""One venv a reader under ``.venv-compat/``, made once for each state of its pins."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from compat.matrix import Reader

ROOT = Path(__file__).resolve().parent.parent
VENVS = ROOT / ".venv-compat"
_STAMP = "made-from"
_LINES = 5  # of a failed command's output


class InstallFailed(Exception):
    """A venv could not be made; the message says which and shows the installer's last words."""


def clean_environment() -> dict[str, str]:
    """Return the environment for what runs in a venv: nothing of this process's Python gets in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PYTHONNOUSERSITE": "1"}


def ensure_venv(reader: Reader) -> Path:
    """Return the Python of a reader's venv, after making it if its pins or this Python have changed.

    Raises:
        InstallFailed: the installer failed.
        OSError: the venv cannot be written.
    """
    venv = VENVS / reader.name
    python = venv / "bin" / "python"
    state = hashlib.sha256(
        f"{sys.version}\n{sys.base_prefix}\n".encode() + reader.requirements.read_bytes()
    ).hexdigest()
    stamp = venv / _STAMP
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == state:
        return python
    shutil.rmtree(venv, ignore_errors=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    _run(reader, [sys.executable, "-m", "venv", str(venv)])
    _run(reader, [*pip, "--only-binary", ":all:", "--requirement", str(reader.requirements)])
    stamp.write_text(state, encoding="utf-8")  # last: a venv without it is half made
    return python


def _run(reader: Reader, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), check=False)
    if done.returncode:
        words = " / ".join((done.stderr or done.stdout).strip().splitlines()[-_LINES:])
        raise InstallFailed(f"no venv for {reader.name}: {words}; see to that and run again")
