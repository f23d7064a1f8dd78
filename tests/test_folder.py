"""The release folder is replaced whole or not at all, whatever is killed when, and never without leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Outcome, contents

from pipeline.build.folder import ReleaseFolder
from pipeline.errors import CannotRun

BUILD = ("build", "closebench", "--split", "en", "--engine", "serial", "--seeds")


def killed_process(code: str, *arguments: object) -> None:
    """Run Python code that is expected to be killed by SIGKILL."""
    process = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, timeout=120, check=False)
    assert process.returncode == -signal.SIGKILL


KILL_AT_RENAME = """
import os, signal, sys, pathlib
from pipeline.cli import run
out, wanted = sys.argv[1], int(sys.argv[2])
rename, count = pathlib.Path.rename, 0
def counted(self, target):
    global count
    if self.name in ("closebench", ".closebench.new"):
        count += 1
        if count == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)
pathlib.Path.rename = counted
run(["build", "closebench", "--out", out, "--split", "en", "--engine", "serial", "--seeds", "2"])
"""

KILL_IN_SHARD = """
import os, signal, sys
from pipeline.cli import run
from pipeline.build.shard import _ConfigSink
def die(self):
    os.kill(os.getpid(), signal.SIGKILL)
_ConfigSink.finish = die
run(["build", "closebench", "--out", sys.argv[1], "--split", "en", "--engine", "serial", "--seeds", "2"])
"""

KILL_IN_CLEAN_UP = """
import os, signal, sys, shutil
from pipeline.cli import run
shutil.rmtree = lambda path, **options: os.kill(os.getpid(), signal.SIGKILL)
run(["build", "closebench", "--out", sys.argv[1], "--split", "en", "--engine", "serial", "--seeds", "2"])
"""


@pytest.fixture
def built(hub: Callable[..., Outcome], tmp_path: Path) -> Path:
    """Build seed 1 and return the parent folder."""
    assert hub(*BUILD, "1", "--out", tmp_path).code == 0
    return tmp_path


def seeds_of(folder: Path) -> bytes:
    """Return the one world of a folder."""
    return (folder / "data" / "worlds-en.jsonl").read_bytes()[:10]


@pytest.mark.parametrize("rename", [1, 2])
def test_a_kill_around_the_renames_keeps_the_old_folder(built: Path, hub: Callable[..., Outcome], rename: int) -> None:
    before = contents(built / "closebench")
    killed_process(KILL_AT_RENAME, built, rename)
    assert (built / "closebench").exists() == (rename == 1)
    ReleaseFolder(built, "closebench").settle()
    assert contents(built / "closebench") == before
    assert sorted(os.listdir(built)) == [".closebench.lock", "closebench"]
    assert hub(*BUILD, "3", "--out", built).code == 0
    assert seeds_of(built / "closebench") == b'{"seed":3,'


def test_the_next_build_repairs_too(built: Path, hub: Callable[..., Outcome]) -> None:
    before = contents(built / "closebench")
    killed_process(KILL_AT_RENAME, built, 2)
    assert hub("build", "closebench", "--split", "de", "--out", built).code == 2
    assert hub(*BUILD, "3", "--out", built, "--src", built).code == 3
    assert hub(*BUILD, "1", "--out", built).code == 0
    assert contents(built / "closebench") == before
    assert sorted(os.listdir(built)) == [".closebench.lock", "closebench"]


@pytest.mark.parametrize("code", [KILL_IN_SHARD])
def test_a_kill_in_mid_build_keeps_the_old_folder(built: Path, hub: Callable[..., Outcome], code: str) -> None:
    before = contents(built / "closebench")
    killed_process(code, built)
    assert contents(built / "closebench") == before
    assert (built / ".closebench.new").is_dir()
    assert hub(*BUILD, "3", "--out", built).code == 0
    assert sorted(os.listdir(built)) == [".closebench.lock", "closebench"]


def test_a_kill_after_the_swap_keeps_the_new_folder(built: Path) -> None:
    killed_process(KILL_IN_CLEAN_UP, built)
    ReleaseFolder(built, "closebench").settle()
    assert seeds_of(built / "closebench") == b'{"seed":2,'
    assert sorted(os.listdir(built)) == [".closebench.lock", "closebench"]


def test_workers_end_with_a_killed_build(tmp_path: Path, hub: Callable[..., Outcome]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "build", "closebench", "--out", str(tmp_path), "--split", "en"]
        + ["--seeds", "1-1000000", "--workers", "2"],
        start_new_session=True,
    )
    while not list(tmp_path.glob(".closebench.new/.parts/*")):
        assert process.poll() is None
    process.kill()
    process.wait()
    # The workers hold the lock of the build that forked them: getting it proves that they are gone.
    outcome = hub(*BUILD, "1", "--out", tmp_path)
    assert outcome.code == 0, outcome.err
    assert sorted(os.listdir(tmp_path)) == [".closebench.lock", "closebench"]


def test_two_builds_do_not_mix(tmp_path: Path, hub: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.build.folder._LOCK_SECONDS", 0)
    with ReleaseFolder(tmp_path, "closebench").replace(force=False) as folder:
        (folder / "half").write_text("written")
        outcome = hub(*BUILD, "1", "--out", tmp_path)
        assert outcome.code == 3
        assert "another build is writing" in outcome.err
        ReleaseFolder(tmp_path, "closebench").settle()  # a reader leaves a running build alone
        assert (folder / "half").exists()
    assert contents(tmp_path / "closebench") == {"half": b"written"}


def test_an_error_leaves_no_litter(tmp_path: Path) -> None:
    def fail() -> None:
        with ReleaseFolder(tmp_path, "closebench").replace(force=False) as folder:
            (folder / "half").write_text("written")
            raise CannotRun("no")

    with pytest.raises(CannotRun):
        fail()
    assert os.listdir(tmp_path) == [".closebench.lock"]


def put_notes(target: Path) -> None:
    target.mkdir()
    (target / "notes.txt").write_text("mine")


def put_file(target: Path) -> None:
    target.write_text("mine")


def put_link(target: Path) -> None:
    (target.parent / "elsewhere").mkdir()
    target.symlink_to(target.parent / "elsewhere")


def put_other_release(target: Path) -> None:
    target.mkdir()
    (target / "manifest.json").write_text('{"family": "other", "manifest_format": 1}')


@pytest.mark.parametrize("put", [put_notes, put_file, put_link, put_other_release])
def test_what_the_tool_did_not_make_is_not_replaced(
    tmp_path: Path, hub: Callable[..., Outcome], put: Callable[[Path], None]
) -> None:
    put(tmp_path / "closebench")
    before = sorted(os.listdir(tmp_path)), contents(tmp_path)
    outcome = hub(*BUILD, "1", "--out", tmp_path)
    assert outcome.code == 2
    assert "--force" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    (tmp_path / ".closebench.lock").unlink()
    assert (sorted(os.listdir(tmp_path)), contents(tmp_path)) == before
    assert hub(*BUILD, "1", "--out", tmp_path, "--force").code == 0
    assert seeds_of(tmp_path / "closebench") == b'{"seed":1,'


def test_a_file_put_into_a_release_is_not_lost(built: Path, hub: Callable[..., Outcome]) -> None:
    (built / "closebench" / "data" / "notes.txt").write_text("mine")
    outcome = hub(*BUILD, "2", "--out", built)
    assert outcome.code == 2
    assert "'data/notes.txt'" in outcome.err
    assert (built / "closebench" / "data" / "notes.txt").read_text() == "mine"


def test_an_empty_folder_and_a_damaged_release_may_be_replaced(tmp_path: Path, hub: Callable[..., Outcome]) -> None:
    (tmp_path / "closebench").mkdir()
    assert hub(*BUILD, "1", "--out", tmp_path).code == 0
    (tmp_path / "closebench" / "manifest.json").write_text('{"family": "closebench", "manifest_format": 1}')
    assert hub(*BUILD, "2", "--out", tmp_path).code == 0
    assert seeds_of(tmp_path / "closebench") == b'{"seed":2,'


def test_a_hostile_manifest_in_the_way_is_no_traceback(tmp_path: Path, hub: Callable[..., Outcome]) -> None:
    (tmp_path / "closebench").mkdir()
    (tmp_path / "closebench" / "manifest.json").write_text("[" * 100_000)
    outcome = hub(*BUILD, "1", "--out", tmp_path)
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
