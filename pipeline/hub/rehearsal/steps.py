"""The steps of a rehearsal as they are reported, and the child processes that they run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.errors import PipelineError

_SHOWN_LINES = 8  # of what a child said, where its step failed
_SECONDS = 600  # after which a child is taken for stuck


class StepFailed(Exception):
    """What was expected did not happen.

    Attributes:
        output: last lines of the child that is to blame.
    """

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = tuple(line for line in output.splitlines() if line.strip())[-_SHOWN_LINES:]


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was done.

    Attributes:
        name: in a word or three.
        ok: whether everything happened as it should.
        seconds: how long it took.
        told: what happened, in one line.
        output: what a child process said, if the step failed.
    """

    name: str
    ok: bool
    seconds: float
    told: str
    output: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return asdict(self)


def run_step(name: str, action: Callable[[], str]) -> Step:
    """Do one step and report it, whatever it comes to."""
    begin = time.monotonic()
    output: tuple[str, ...] = ()
    try:
        told, ok = action(), True
    except StepFailed as failure:
        told, ok, output = str(failure), False, failure.output
    except (PipelineError, OSError, subprocess.TimeoutExpired) as error:
        told, ok = f"{type(error).__name__}: {error}", False
    return Step(name, ok, time.monotonic() - begin, told, output)


def require(condition: object, message: str, output: str = "") -> None:
    """Fail the step unless something holds."""
    if not condition:
        raise StepFailed(message, output)


@dataclass(frozen=True, slots=True)
class Child:
    """A process that has ended.

    Attributes:
        code: its exit code.
        text: all that it printed.
    """

    code: int
    text: str


def start_module(module: str, arguments: tuple[object, ...], env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a module of this installation in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **env},
    )


def wait_for(process: subprocess.Popen[str]) -> Child:
    """Wait for a process to end; one that does not is ended.

    Raises:
        StepFailed: it did not end by itself.
    """
    try:
        text, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        raise StepFailed(f"a process was stuck for {_SECONDS} s", text) from None
    return Child(process.returncode, text)


def run_module(module: str, arguments: tuple[object, ...], env: Mapping[str, str], *, code: int = 0) -> str:
    """Run a module to its end and return what it printed.

    Raises:
        StepFailed: it ended with another code than `code`.
    """
    child = wait_for(start_module(module, arguments, env))
    require(child.code == code, f"exit code {child.code} instead of {code}", child.text)
    return child.text
