"""Whatever goes wrong during a push, the repo is at the old or at the new revision, and a rerun completes it."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from conftest import contents
from hub_accounts import OWNER, REPO
from tiny_releases import Tiny, run

from pipeline.errors import CannotRun
from pipeline.hub.loopback import Delay, Drop, Fail, LoopbackHub, Meanwhile, Truncate
from pipeline.hub.publish import Push

pytest_plugins = ["hub_fixtures"]

Start = Callable[..., Push]
KINDS = {
    "500": Fail(500),
    "500 after": Fail(500, after_effect=True),
    "429": Fail(429, {"Retry-After": "0"}),
    "403": Fail(403),
    "403 after": Fail(403, after_effect=True),
    "drop": Drop(),
    "drop after": Drop(after_effect=True),
    "truncate": Truncate(keep=3),
    "delay": Delay(0.01),
    "delay after": Delay(0.01, after_effect=True),
    "nonsense": Fail(200, body=b"<html>A proxy is here.</html>"),
}


@dataclass
class Stage:
    """A repo that holds 1.0.0 in three shards, and the folder of 2.0.0 in one."""

    hub: LoopbackHub
    old: dict[str, bytes]
    new: dict[str, bytes]
    folder: Path
    first: str
    state: dict[str, Any]

    @property
    def tree(self) -> dict[str, bytes]:
        return {path: entry.content for path, entry in self.hub.repository(REPO).resolve("main").tree.items()}

    def reset(self) -> None:
        """Put the repo back to where it was."""
        self.hub.faults.clear()
        vars(self.hub.repository(REPO)).update(copy.deepcopy(self.state))

    def require_old_or_new(self) -> None:
        assert self.tree in (self.old, self.new)
        repository = self.hub.repository(REPO)
        assert len(repository.commits) <= 3
        tags = dict(repository.tags)
        assert tags.pop("v1.0.0") == self.first
        assert tags in ({}, {"v2.0.0": repository.branches["main"]})
        if tags:
            assert self.tree == self.new

    def require_complete(self) -> None:
        repository = self.hub.repository(REPO)
        assert self.tree == self.new
        assert repository.tags == {"v1.0.0": self.first, "v2.0.0": repository.branches["main"]}
        assert len(repository.commits) == 3


@pytest.fixture
def stage(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> Stage:
    old = tiny.write("old", shards=3)
    new = tiny.write("new", version="2.0.0", rows=({"seed": 1, "text": "a"}, {"seed": 3, "text": "c"}))
    first = run(push_to(old)).commit
    state = copy.deepcopy(vars(served.repository(REPO)))
    return Stage(served, contents(old), contents(new), new, first, state)


def attempt(push: Push) -> str:
    """Push, and return what is said if that fails."""
    try:
        run(push)
    except CannotRun as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_at_any_request(stage: Stage, push_to: Start, kind: str) -> None:
    for number in count(1):
        stage.reset()
        stage.hub.forget_requests()
        stage.hub.faults.add(KINDS[kind], nth=number)
        said = attempt(push_to(stage.folder))
        assert OWNER not in said
        assert "\n" not in said
        if not any(request.fault for request in stage.hub.requests):
            break
        stage.require_old_or_new()
        stage.hub.faults.clear()
        run(push_to(stage.folder))
        stage.require_complete()
    assert number > 20  # one more than there are requests


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "delay" not in kind])
def test_a_fault_that_stays(stage: Stage, push_to: Start, kind: str) -> None:
    stage.hub.faults.add(KINDS[kind], times=None)
    with pytest.raises(CannotRun):
        run(push_to(stage.folder))
    assert stage.tree == stage.old
    assert len(stage.hub.requests) < 100
    stage.hub.faults.clear()
    run(push_to(stage.folder))
    stage.require_complete()


@pytest.mark.parametrize("kind", ["500", "drop after", "nonsense"])
@pytest.mark.parametrize("path", ["/commit/", "/lfs/", "/resolve/", "/tag/"])
def test_a_fault_that_stays_at_one_kind_of_request(stage: Stage, push_to: Start, kind: str, path: str) -> None:
    stage.hub.faults.add(KINDS[kind], path=path, times=None)
    attempt(push_to(stage.folder))
    stage.require_old_or_new()
    stage.hub.faults.clear()
    run(push_to(stage.folder))
    stage.require_complete()


@pytest.fixture
def child(stage: Stage) -> Iterator[Callable[[], tuple[int, Callable[[], int]]]]:
    """Start a process that is ready to push; return its id, and a call that lets it and returns its exit status."""
    command = [sys.executable, str(Path(__file__).with_name("pushing_child.py")), str(stage.folder), REPO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout

        def ask(word: str) -> int:
            process.stdin.write(f"{word}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield lambda: (ask("fork"), lambda: ask("go"))
        process.stdin.close()


def test_killed_at_any_request(
    stage: Stage, push_to: Start, child: Callable[[], tuple[int, Callable[[], int]]]
) -> None:
    for number in count(1):
        stage.reset()
        process, go = child()

        def kill(process: int = process) -> None:
            os.kill(process, signal.SIGKILL)

        stage.hub.faults.add(Meanwhile(kill), nth=number)
        status = go()
        if status == 0:
            break
        assert status == -signal.SIGKILL
        stage.require_old_or_new()
        stage.hub.faults.clear()
        run(push_to(stage.folder))
        stage.require_complete()
    assert number > 20
