"""A Hub on loopback for every test that asks for it, and clients that find it as they would find the real one.

No conftest.py, for there can be one module of that name only; a test file names this one in `pytest_plugins`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_accounts import ACCOUNTS, OWNER, REPO
from huggingface_hub import HfApi, close_session, constants
from tiny_releases import Tiny

from pipeline.build.manifest import read_manifest
from pipeline.hub.client import connect
from pipeline.hub.loopback import LoopbackHub
from pipeline.hub.publish import Push, PushRequest


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    """The Hub of the environment, with the owner's token."""
    with LoopbackHub(ACCOUNTS) as hub:
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        for name, value in {"HF_ENDPOINT": hub.endpoint, "HF_TOKEN": OWNER, "NO_PROXY": "127.0.0.1"}.items():
            monkeypatch.setenv(name, value)
        close_session()
        yield hub
        close_session()


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, in seconds; none takes any time but the moments in which locks are waited for."""
    made: list[float] = []
    sleep = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: made.append(seconds) if seconds >= 0.5 else sleep(seconds))
    monkeypatch.setattr("pipeline.verify.run.available_workers", lambda: 1)
    return made


@pytest.fixture
def api(served: LoopbackHub) -> HfApi:
    return HfApi(endpoint=served.endpoint, token=OWNER)


@pytest.fixture
def repo(api: HfApi) -> str:
    """A new repo."""
    api.create_repo(REPO, repo_type="dataset")
    return REPO


@pytest.fixture
def tiny(small_release: Path, tmp_path: Path) -> Tiny:
    """Writes releases of a few rows that no check has to like."""
    return Tiny(read_manifest(small_release), tmp_path)


@pytest.fixture
def push_to(served: LoopbackHub, naps: list[float]) -> Callable[..., Push]:
    """Start a push of a folder."""

    def start(folder: Path, repo_id: str = REPO, **options: object) -> Push:
        return Push(connect(), PushRequest(folder, repo_id, **options))  # type: ignore[arg-type]

    return start
