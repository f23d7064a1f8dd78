"""The wheel in an empty environment: it carries its schemas, pins and shipped files, and works."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built without any network."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(out)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_carries_every_resource(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("schemas", "dataset_card", "data/pins"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                assert f"pipeline/_resources/{path.relative_to(ROOT).as_posix()}" in names
    assert not [name for name in names if name.startswith(("tests/", "bench/", "data/"))]


@pytest.mark.network
def test_the_wheel_lists_and_builds_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)
    hub = str(tmp_path / "venv" / "bin" / "closebench-hub")

    def call(*arguments: str) -> str:
        done = subprocess.run([hub, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "68a76532" in call("list")
    (manifest,) = json.loads(call("build", "closebench", "--json"))
    assert manifest["pinned"]
    assert manifest["path"] == "data/build/closebench"
