"""Who may push, what everybody else is told, and that no token is told to anybody."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Outcome, hub_process
from hub_accounts import ACCOUNTS, MEMBER, OWNER, PROPOSER, READER, REPO, SCOPED, STRANGER
from huggingface_hub import HfApi
from tiny_releases import Tiny, run

from pipeline.errors import CannotRun
from pipeline.hub.client import connect
from pipeline.hub.loopback import Drop, Fail, LoopbackHub
from pipeline.hub.publish import Push

pytest_plugins = ["hub_fixtures"]

Start = Callable[..., Push]
Call = Callable[..., Outcome]
WRITES = {"POST", "PUT", "DELETE"}


def writes(hub: LoopbackHub) -> list[str]:
    return [request.path for request in hub.requests if request.method in WRITES]


def refused(hub: Call, folder: Path, *arguments: str, repo_id: str = REPO) -> str:
    """Push, expect exit code 3 and one line, and return it."""
    outcome = hub("push", f"{folder}/", "--repo-id", repo_id, "--yes", *arguments)
    assert outcome.code == 3, outcome.err
    (line,) = outcome.err.splitlines()
    assert outcome.out == ""
    for token in ACCOUNTS:
        assert token not in line
    return line


@pytest.mark.parametrize(
    ("token", "says"),
    [
        (READER, "must use a write token.*use one with write access"),
        (STRANGER, "no permission to write.*or propose the change with --create-pr"),
        (SCOPED, "no permission to write"),
        ("hf_unknown", "does not accept the token.*hf auth login"),
        ("hf_strange\x01one", "characters that no token has"),
        (None, "no token for the Hub; run: hf auth login"),
    ],
)
def test_a_token_that_may_not_write_is_found_before_anything_else(
    served: LoopbackHub,
    repo: str,
    hub: Call,
    naps: list[float],
    tiny: Tiny,
    monkeypatch: pytest.MonkeyPatch,
    token: str | None,
    says: str,
) -> None:
    monkeypatch.delenv("HF_TOKEN") if token is None else monkeypatch.setenv("HF_TOKEN", token)
    served.forget_requests()
    line = refused(hub, tiny.write())
    assert re.search(says, line), line
    assert "strange" not in line
    assert len(served.requests) <= 1
    assert writes(served) == []


@pytest.mark.parametrize("name", ["me/dataa", "nobody/data"])
def test_a_misspelt_or_absent_repo(
    served: LoopbackHub, repo: str, hub: Call, naps: list[float], tiny: Tiny, name: str
) -> None:
    line = refused(hub, tiny.write(), repo_id=name)
    assert f"shows no dataset {name} to you: it is absent, misspelt or private" in line
    assert line.endswith(", or create it with: closebench-hub push --create-repo")


def test_a_private_repo_of_somebody_else(
    served: LoopbackHub, repo: str, hub: Call, naps: list[float], tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.repository(REPO).private = True
    monkeypatch.setenv("HF_TOKEN", STRANGER)
    assert "absent, misspelt or private" in refused(hub, tiny.write())


def test_a_gated_repo(
    served: LoopbackHub, repo: str, hub: Call, push_to: Start, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(push_to(tiny.write()))
    served.repository(REPO).gated = "manual"
    monkeypatch.setenv("HF_TOKEN", STRANGER)
    assert f"{REPO} is gated: ask for access at" in refused(hub, tiny.write(), "--create-pr")
    outcome = hub("verify", "--repo-id", REPO)
    assert outcome.code == 3
    assert "is gated" in outcome.err


def test_a_namespace_that_is_not_ones_own(served: LoopbackHub, push_to: Start, tiny: Tiny) -> None:
    with pytest.raises(CannotRun, match="eve/data is not there, and this token may not create it: it is of me;"):
        run(push_to(tiny.write(), "eve/data", create_repo=True))
    assert [request.path for request in served.requests][1:] == ["/api/whoami-v2"]
    with pytest.raises(CannotRun, match="the token may not do this to eve/data.*rights to create"):
        connect().create_repo("eve/data", private=False)  # should the Hub see it otherwise


@pytest.mark.parametrize(
    ("token", "repo_id", "says"),
    [
        (OWNER, "other/x", "it is of me; use a token that may write to other"),
        (MEMBER, "other/x", "it is of me and of team; use a token"),
        (READER, "me/x", "it may only read; use one with write access"),
    ],
)
def test_access_says_that_a_repo_cannot_be_created(
    served: LoopbackHub, hub: Call, monkeypatch: pytest.MonkeyPatch, token: str, repo_id: str, says: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    outcome = hub("access", "--repo-id", repo_id, "--create-repo")
    assert (outcome.code, outcome.out) == (3, "")
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"error: {repo_id} is not there, and this token may not create it: {says}")


@pytest.mark.parametrize(("token", "repo_id"), [(OWNER, "me/x"), (MEMBER, "team/x")])
def test_access_says_that_a_push_creates_a_repo(
    served: LoopbackHub, hub: Call, monkeypatch: pytest.MonkeyPatch, token: str, repo_id: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    outcome = hub("access", "--repo-id", repo_id, "--create-repo")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith(": a push creates it\n")
    assert len(served.requests) == 2


def test_access_to_a_repo_that_is_there_costs_one_request(served: LoopbackHub, repo: str, hub: Call) -> None:
    served.forget_requests()
    assert hub("access", "--repo-id", REPO, "--create-repo").out.endswith(": the token may write to it\n")
    assert len(served.requests) == 1


@pytest.mark.parametrize("token", [PROPOSER, STRANGER])
def test_who_may_only_propose_proposes(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    folder = tiny.write()
    with pytest.raises(CannotRun, match="--create-pr"):
        run(push_to(folder))
    assert run(push_to(folder, create_pr=True)).pull_request


def test_a_hub_that_cannot_be_reached(
    served: LoopbackHub, hub: Call, naps: list[float], tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
        line = refused(hub, tiny.write())
    assert re.search(r"the Hub at http://127.0.0.1:\d+ cannot be reached \(ConnectError\); check the connection", line)
    assert naps == []  # a wrong address is said at once


def test_offline(served: LoopbackHub, small_release: Path) -> None:
    child = hub_process("push", small_release, "--repo-id", REPO, "--yes", env={"HF_HUB_OFFLINE": "1"})
    assert child.returncode == 3
    assert child.stderr == "error: HF_HUB_OFFLINE is set, so the Hub cannot be asked; unset it and run again\n"


def test_a_server_that_is_no_hub(served: LoopbackHub, repo: str, hub: Call, naps: list[float], tiny: Tiny) -> None:
    served.faults.add(Fail(404, body=b"<html>Not here</html>"), times=None)
    assert "status 404" in refused(hub, tiny.write())
    served.faults.clear()
    served.faults.add(Fail(200, body=b"<html>Log in to the hotel</html>"), times=None)
    line = hub("verify", "--repo-id", REPO).err
    assert "answers, but not as a Hub does; check HF_ENDPOINT" in line


def test_a_message_of_the_hub_that_holds_the_token_is_cleaned(
    served: LoopbackHub, repo: str, hub: Call, naps: list[float], tiny: Tiny
) -> None:
    served.faults.add(Fail(403, body=json.dumps({"error": f"{OWNER} may\nnot do this"}).encode()))
    assert "(the Hub says: *** may not do this)" in refused(hub, tiny.write())


@pytest.mark.parametrize("fault", [Fail(401), Fail(500), Fail(400), Drop()])
def test_no_token_in_anything_said_logged_or_written(
    served: LoopbackHub,
    repo: str,
    hub: Call,
    naps: list[float],
    small_release: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: object,
) -> None:
    """Pushes that fail and one that does not, with every log at its loudest and the folder for temporary files kept."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.rmtree", lambda *args, **kwargs: None)
    caplog.set_level(logging.DEBUG)
    said = []
    for path in ("/auth-check", "/refs", "/commit/", "/resolve/", "/tag/"):
        served.faults.add(fault, path=path, times=None)
        outcome = hub("push", f"{small_release}/", "--repo-id", REPO, "--yes", "--json")
        assert outcome.code == 3
        said += [outcome.out, outcome.err]
        served.faults.clear()
    outcome = hub("push", f"{small_release}/", "--repo-id", REPO, "--yes")
    assert outcome.code == 0, outcome.err
    said += [outcome.out, outcome.err, caplog.text]
    assert OWNER not in "".join(said)
    written = [path for folder in (tmp_path, Path(os.environ["HF_HOME"])) for path in folder.rglob("*")]
    assert any(path.name == "manifest.json" for path in written)
    assert not [path for path in written if path.is_file() and OWNER.encode() in path.read_bytes()]
    assert OWNER not in repr([request for request in served.requests])


def test_the_chain_of_an_error_holds_no_token(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.faults.add(Fail(401), path="/commit/")
    with pytest.raises(CannotRun) as failure:
        run(push_to(tiny.write()))
    error: BaseException | None = failure.value
    assert error is not None
    assert error.__suppress_context__ or error.__context__ is None


def test_a_ci_job_without_a_secret_exchanges_its_identity(small_release: Path) -> None:
    with LoopbackHub(ACCOUNTS, publishers={"identity": (f"datasets/{REPO}",)}) as hub:
        HfApi(endpoint=hub.endpoint, token=OWNER).create_repo(REPO, repo_type="dataset")
        job = {"HF_ENDPOINT": hub.endpoint, "HF_OIDC_RESOURCE": f"datasets/{REPO}"}
        push = ("push", small_release, "--repo-id", REPO, "--yes")
        done = hub_process(*push, env={**job, "HF_OIDC_ID_TOKEN": "identity"})
        assert done.returncode == 0, done.stderr
        assert hub.repository(REPO).tags
        refused = hub_process(*push, env={**job, "HF_OIDC_ID_TOKEN": "another"})
        assert refused.returncode == 3
        assert refused.stderr.startswith("error: ")
        assert len(refused.stderr.splitlines()) == 1
        nothing = hub_process(*push, env=job)
        assert nothing.returncode == 3
        assert "the CI job got no token from the Hub" in nothing.stderr
        assert "hf_jwt" not in done.stdout + done.stderr + refused.stderr + nothing.stderr


def test_a_token_on_the_command_line_is_no_option() -> None:
    text = subprocess.run(
        [sys.executable, "-m", "pipeline", "push", "--help"], capture_output=True, text=True, check=True
    )
    assert "--token" not in text.stdout
