"""The verify.py of the generated families: hashes, and the truth derived again, with the standard library alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import contents

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.families import FAMILIES, get_family

SOLVED = [name for name in FAMILIES if get_family(name).ships_solver]


def verify(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script without site-packages and without the environment."""
    command = [sys.executable, "-I", "-S", "verify.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", params=SOLVED)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of one family."""
    return build_release(BuildRequest(request.param, tmp_path_factory.mktemp("built"), engine="serial"))[0]


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(built, tmp_path / built.name))


def test_a_release_passes_and_stays_as_it_is(folder: Path) -> None:
    before = contents(folder)
    done = verify(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().startswith("no difference (")
    assert contents(folder) == before


def change_truth(folder: Path) -> str:
    path = sorted((folder / "data").glob("truth-*"))[0]
    lines = path.read_bytes().splitlines(keepends=True)
    lines[0], lines[1] = lines[1], lines[0]
    path.write_bytes(b"".join(lines))
    return f"data/{path.name}: row 1 "


def break_line(folder: Path) -> str:
    path = sorted((folder / "data").glob("truth-*"))[0]
    path.write_bytes(b'{"id":\n' + path.read_bytes())
    return f"data/{path.name}: line 1 is no JSON"


def change_licence(folder: Path) -> str:
    (folder / "LICENSE").write_text("mine")
    return "LICENSE: has another SHA-256"


def drop_file(folder: Path) -> str:
    (folder / "schemas" / "truth.json").unlink()
    return "schemas/truth.json: is listed in SHA256SUMS and missing"


def add_file(folder: Path) -> str:
    shutil.copy(folder / "LICENSE", folder / "data" / "extra")
    return "data/extra: is not listed"


@pytest.mark.parametrize("change", [change_truth, break_line, change_licence, drop_file, add_file])
def test_a_change_is_named(folder: Path, change: Callable[[Path], str]) -> None:
    wanted = change(folder)
    done = verify(folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert wanted in done.stdout


def test_wrong_usage_and_missing_files(folder: Path) -> None:
    assert verify(folder, "--nonsense").returncode == 2
    assert verify(folder, "--help").returncode == 0
    (folder / "SHA256SUMS").unlink()
    done = verify(folder)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
