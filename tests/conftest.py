"""The environment of every test: no token, no cache, no colour, no network but loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Before huggingface_hub or datasets are imported: they read these once.
_CACHE = tempfile.mkdtemp(prefix="closebench-hub-tests-")
for name in [name for name in os.environ if name.startswith(("HF_", "HUGGING_FACE_", "CLOSEBENCH_"))]:
    del os.environ[name]
os.environ.update(
    HF_HOME=_CACHE,
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_XET="1",
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_UPDATE_DOWNLOAD_COUNTS="0",
    NO_COLOR="1",
    NO_PROXY="127.0.0.1,127.0.0.2,localhost",
    COLUMNS="100",
)

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from pipeline.build.assemble import BuildRequest, build_release  # noqa: E402
from pipeline.cli import run  # noqa: E402

# No deadline: tests do not depend on the clock. In CI every run tries the same examples.
settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tests")

ROOT = Path(__file__).resolve().parent.parent
FOUR_SEEDS = "1,31,1001,1018"
"""Two worlds of each mode, one of each with a phantom error."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the goldens anew; read the difference")


def pytest_sessionfinish() -> None:
    import shutil

    shutil.rmtree(_CACHE, ignore_errors=True)


@pytest.fixture(autouse=True)
def _only_loopback(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that looks up or connects to any address off this machine."""
    if request.node.get_closest_marker("network"):
        return
    connect, lookup = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith("127."):
            pytest.fail(f"a test tried to connect to {address}")
        connect(self, address)

    def guarded_lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (None, "localhost") and not str(host).startswith("127."):
            raise socket.gaierror(f"a test looked up {host}")
        return lookup(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_lookup)


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def hub(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a closebench-hub command in this process."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


def hub_process(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a closebench-hub command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        cwd=ROOT,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published closebench release; treat it as read-only."""
    return build_release(BuildRequest("closebench", tmp_path_factory.mktemp("release")))[0]


@pytest.fixture(scope="session")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closebench release of four seeds; treat it as read-only."""
    from pipeline.seeds import Seeds

    request = BuildRequest(
        "closebench", tmp_path_factory.mktemp("small"), seeds=Seeds.parse(FOUR_SEEDS), engine="serial"
    )
    return build_release(request)[0]


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def unchanged(release: Path) -> Iterator[None]:
    """Fail a test that changes the shared release."""
    before = contents(release)
    yield
    assert contents(release) == before
