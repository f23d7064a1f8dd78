"""The rehearsal itself, and the Hub that runs by itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from conftest import ROOT, Outcome

from pipeline.errors import CannotRun
from pipeline.families import FAMILIES, get_family
from pipeline.hub.rehearsal import run
from pipeline.hub.rehearsal.next_version import replace_last_seeds
from pipeline.hub.rehearsal.steps import StepFailed, require, run_module, run_step

SMALLEST = min(FAMILIES, key=lambda name: sum(seeds.count for seeds in get_family(name).default_seeds.values()))


def test_every_step_of_a_rehearsal_is_ok(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "pipeline", "rehearse", SMALLEST],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    lines = process.stdout.splitlines()
    assert len(lines) == 10
    assert all(line.startswith("  ok ") for line in lines[1:-1])
    assert lines[-1].startswith("result: every step ok, ")
    assert process.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_step_that_fails_ends_the_rehearsal(hub: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(request: object) -> None:
        raise CannotRun("no disk")

    monkeypatch.setattr(run, "build_release", fail)
    outcome = hub("rehearse", SMALLEST)
    assert outcome.code == 1
    assert outcome.out.splitlines()[1].startswith("  FAILED  build ")
    assert outcome.out.splitlines()[-1].startswith("result: failed: build")
    outcome = hub("rehearse", SMALLEST, "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out)["ok"] is False


def test_a_child_that_fails_is_quoted() -> None:
    step = run_step("list", lambda: run_module("pipeline", ("list", "--nonsense"), {}))
    assert not step.ok
    assert step.told == "exit code 2 instead of 0"
    assert step.output == ("error: No such option '--nonsense'. (see: closebench-hub list --help)",)
    with pytest.raises(StepFailed):
        require(False, "no")


def test_an_unknown_family(hub: Callable[..., Outcome]) -> None:
    assert hub("rehearse", "unheard").code == 2


@pytest.mark.parametrize("name", FAMILIES)
def test_the_next_version_has_another_row_in_every_split(name: str) -> None:
    family = get_family(name)
    replaced = replace_last_seeds(family.default_seeds, family.parallel_groups)
    for split, seeds in family.default_seeds.items():
        assert replaced[split].count == seeds.count
        assert len(set(replaced[split]) - set(seeds)) == 1
    for one, other in combinations(family.splits, 2):
        assert family.are_parallel([one, other]) or not set(replaced[one]) & set(replaced[other])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_hub_serves_until_it_is_stopped(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "pipeline", "hub", "serve", "--token", "hf_rehearsal"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline().rstrip() for _ in range(12)]
        process.send_signal(number)
        assert process.wait(30) == 0
    exports = dict(line.removeprefix("export ").split("=", 1) for line in lines if line.startswith("export "))
    assert exports["HF_TOKEN"] == "hf_rehearsal"
    assert exports["HF_ENDPOINT"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--token", "a b"], 2), (["--token", ""], 2), (["--port", "99999"], 2)]
)
def test_wrong_usage_of_the_hub(hub: Callable[..., Outcome], arguments: list[str], code: int) -> None:
    assert hub("hub", "serve", *arguments).code == code


def test_a_port_that_is_taken(hub: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *args: None)  # the test's own handlers stay
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        outcome = hub("hub", "serve", "--port", taken.getsockname()[1])
    assert outcome.code == 3
    assert "choose another --port" in outcome.err
