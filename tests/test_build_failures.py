"""Bad input and bad surroundings: one clear line, the right exit code, nothing lost and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Outcome, contents, hub_process

from pipeline import resources
from pipeline.build import shard
from pipeline.build.engines import open_engine
from pipeline.families.closebench import Closebench, package


def assert_one_line(outcome: Outcome, code: int, *parts: str) -> None:
    """Check the exit code and that stderr is one line with all the parts."""
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert len(lines) == 1, outcome.err
    assert lines[0].startswith("error: ")
    for part in parts:
        assert part in lines[0]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["closebanch"], ["no family 'closebanch'", "closebench"]),
        (["--split", "de"], ["no split 'de'", "en, ru"]),
        (["--seeds", "5-1"], ["runs backwards"]),
        (["--seeds", ""], ["neither a seed nor a range"]),
        (["--seeds", "1-3,2"], ["names seed 2 twice"]),
        (["--seeds", "9223372036854775808"], ["above 2^63-1"]),
        (["--engine", "dask"], ["dask", "--help"]),
        (["--workers", "0"], ["0"]),
        (["--workers", "two"], ["two"]),
        (["--workers", "2", "--engine", "serial"], ["--workers goes with --engine process"]),
        (["--rows-per-shard", "0"], ["0"]),
        (["--formats", "csv"], ["--formats 'csv'"]),
        (["--formats", "jsonl,jsonl"], ["--formats"]),
        (["--formats", ""], ["--formats"]),
        (["--nonsense"], ["nonsense"]),
    ],
)
def test_wrong_usage_costs_nothing(
    hub: Callable[..., Outcome], tmp_path: Path, arguments: list[str], parts: list[str]
) -> None:
    named = [] if arguments[0] == "closebanch" else ["closebench"]
    assert_one_line(hub("build", "--out", tmp_path / "out", *named, *arguments), 2, *parts)
    assert not (tmp_path / "out").exists()


def test_an_unknown_command(hub: Callable[..., Outcome]) -> None:
    assert_one_line(hub("bild"), 2, "bild")


def test_a_missing_package(hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "closebench", None)
    package.load.cache_clear()
    try:
        outcome = hub("build", "closebench", "--out", tmp_path)
    finally:
        package.load.cache_clear()
    assert_one_line(outcome, 3, "closebench 0.1.1", "none is installed", "pip install closebench==0.1.1")
    assert not list(tmp_path.iterdir())


def test_another_version(hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "closebench", SimpleNamespace(__version__="0.2.0", __file__=""))
    package.load.cache_clear()
    try:
        outcome = hub("build", "closebench", "--out", tmp_path)
    finally:
        package.load.cache_clear()
    assert_one_line(outcome, 3, "closebench 0.1.1 is needed", "0.2.0 was found", "pip install closebench==0.1.1")


def test_a_checkout_without_the_package(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("build", "closebench", "--out", tmp_path / "out", "--src", tmp_path)
    assert_one_line(outcome, 3, f"--src {tmp_path}", "no folder closebench")


@pytest.mark.parametrize("inside", ["", "src"])
def test_a_checkout_is_used_and_does_not_stay(
    hub: Callable[..., Outcome], tmp_path: Path, release: Path, inside: str
) -> None:
    import closebench.world

    source = Path(closebench.world.__file__).parent
    root = tmp_path / "checkout" / inside
    root.mkdir(parents=True)
    copy = root / "closebench"
    copy.mkdir()
    for path in source.glob("*.py"):
        (copy / path.name).write_bytes(path.read_bytes())
    outcome = hub("build", "closebench", "--out", tmp_path / "out", "--src", tmp_path / "checkout")
    assert outcome.code == 0, outcome.err
    assert contents(tmp_path / "out" / "closebench") == contents(release)
    assert sys.modules["closebench.world"] is closebench.world
    assert str(root) not in sys.path
    (copy / "__init__.py").write_text('__version__ = "0.1.2"\n')
    package.load.cache_clear()
    changed = hub("build", "closebench", "--out", tmp_path / "out", "--src", tmp_path / "checkout")
    assert_one_line(changed, 3, "0.1.2 was found in", "checkout")


def test_a_row_that_does_not_fit_stops_the_build(
    hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = Closebench.generate

    def with_a_null(self: Closebench, split: str, key: int | str) -> object:
        item = generate(self, split, key)
        if key == 2:
            item.public["documents"][0]["meta"]["vendor"] = None
        return item

    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--split", "en").code == 0
    before = contents(tmp_path)
    monkeypatch.setattr(Closebench, "generate", with_a_null)
    outcome = hub("build", "closebench", "--out", tmp_path, "--seeds", "1-3", "--split", "en", "--engine", "serial")
    assert_one_line(
        outcome, 1, "worlds/en seed 2", "documents[0].meta.vendor", "null", "schemas/closebench/worlds.json#"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize("formats", ["jsonl,parquet", "parquet"])
def test_rows_that_miss_the_pin_are_not_published(
    hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, formats: str
) -> None:
    generate = Closebench.generate

    def with_another_memo(self: Closebench, split: str, key: int | str) -> object:
        item = generate(self, split, key)
        if (split, key) == ("ru", 1007):
            item.public["entries"][0]["memo"] += "!"
        return item

    monkeypatch.setattr(Closebench, "generate", with_another_memo)
    outcome = hub("build", "closebench", "--out", tmp_path, "--engine", "serial", "--formats", formats)
    pinned = "2a758aac55628dfe0e36943b66b42d420dccd1da79b45f73424ca7d4b7d5f2f4"
    assert_one_line(outcome, 1, "worlds-ru.jsonl", f"pinned {pinned}", "seed 1007")
    assert not (tmp_path / "closebench").exists()


def test_an_output_that_is_a_file(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    outcome = hub("build", "closebench", "--out", tmp_path / "file")
    assert_one_line(outcome, 3, str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("engine", ["serial", "process"])
def test_an_output_that_is_full(hub: Callable[..., Outcome], tmp_path: Path, engine: str) -> None:
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--split", "en").code == 0
    before = contents(tmp_path)
    limited = subprocess.run(
        ["bash", "-c", 'ulimit -f 100; exec "$@"', "-", sys.executable, "-m", "pipeline", "build", "closebench"]
        + ["--out", str(tmp_path), "--engine", engine],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        # Python ignores SIGXFSZ, so a file beyond the limit is an ordinary error: EFBIG, as ENOSPC would be.
    )
    assert_one_line(Outcome(limited.returncode, limited.stdout, limited.stderr), 3, "File too large")
    assert contents(tmp_path) == before


def _die(job: shard.ShardJob) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies(hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_engine("process", 2) as engine:
        assert engine.__class__.__name__ == "ProcessPoolExecutor"
    monkeypatch.setattr("pipeline.build.assemble.write_shard", _die)
    outcome = hub("build", "closebench", "--out", tmp_path, "--engine", "process", "--workers", "2")
    assert_one_line(outcome, 3, "a worker process died", "--engine serial")
    assert [path.name for path in tmp_path.iterdir()] == [".closebench.lock"]


def test_an_interrupt_changes_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "build", "closebench", "--out", str(tmp_path)]
        + ["--seeds", "1-100000", "--split", "en"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / ".closebench.new").exists():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert err.strip() == "error: stopped; what was finished before stays, and nothing is half-written"
    assert not (tmp_path / "closebench").exists()
    assert not (tmp_path / ".closebench.new").exists()


def test_a_damaged_installation(hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "nowhere" / "pipeline")
    assert_one_line(hub("build", "closebench", "--out", tmp_path), 3, "reinstall closebench-hub")


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    piped = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m pipeline list --json | true; echo "${{PIPESTATUS[0]}}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert piped.stderr == ""
    assert piped.stdout.strip() in ("0", "3")


def test_a_module_run_is_the_same_command() -> None:
    assert hub_process("--version").stdout.startswith("closebench-hub, version ")
