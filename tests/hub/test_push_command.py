"""The command push: plan, question, result; and what stops it before anything is asked of the Hub."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Outcome
from hub_accounts import REPO
from huggingface_hub import CommitOperationAdd, HfApi
from tiny_releases import Tiny

from pipeline.hub.loopback import Fail, LoopbackHub

pytest_plugins = ["hub_fixtures"]

Call = Callable[..., Outcome]


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let releases pass that do not verify."""
    monkeypatch.setattr("pipeline.cli.push_command._verify", lambda folder: None)


@pytest.fixture
def push(hub: Call, naps: list[float]) -> Call:
    def call(folder: Path, *arguments: str) -> Outcome:
        return hub("push", f"{folder}/", "--repo-id", REPO, *arguments)

    return call


def test_a_release_is_pushed_and_then_there_is_nothing_to_do(
    served: LoopbackHub, push: Call, small_release: Path
) -> None:
    outcome = push(small_release, "--create-repo", "--yes")
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    head = served.repository(REPO).branches["main"]
    lines = outcome.out.splitlines()
    files = len(served.repository(REPO).resolve("main").tree)
    assert lines[0] == f"closebench 1.0.0, {files} files, in a new repo"
    assert re.search(r"plan: \d+ files change, [\d,]+ bytes to upload at most, tag v1.0.0$", lines[-5])
    assert lines[-4:] == [
        f"pushed closebench 1.0.0 to {REPO} in one commit, {head}; every byte is served as built",
        f"tag v1.0.0: made, on {head}",
        f"look at it: {served.endpoint}/datasets/{REPO}/viewer",
        f'load it:    load_dataset("{REPO}", "worlds", split="en", revision="v1.0.0")',
    ]
    served.forget_requests()
    outcome = push(small_release, "--yes")
    assert outcome.out.splitlines()[1:] == [
        f"plan: 0 files change, 0 bytes to upload at most, v1.0.0 is on {head[:12]} already",
        f"nothing to do: {REPO} holds closebench 1.0.0 at {head}",
        f"tag v1.0.0: was there, on {head}",
        lines[-1],
    ]
    assert len(served.requests) <= 12


def test_a_folder_that_does_not_verify_is_refused(
    served: LoopbackHub, repo: str, push: Call, small_release: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(small_release, tmp_path / "copy"))
    (copy / "LICENSE").write_bytes(b"mine")
    outcome = push(copy, "--yes")
    assert outcome.code == 1
    assert outcome.out == ""
    (said,) = outcome.err.splitlines()
    assert said.startswith(f"error: {copy} does not verify, so nothing was pushed: files: LICENSE: ")
    assert said.endswith(f"; see: closebench-hub verify {copy}/")
    assert {request.method for request in served.requests[1:]} <= {"GET"}


def test_a_dry_run_writes_nothing(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny, api: HfApi
) -> None:
    push(tiny.write("one", shards=2), "--yes")
    operation = CommitOperationAdd("notes.txt", b"1")
    api.create_commit(REPO, [operation], commit_message="by hand", repo_type="dataset")
    served.forget_requests()
    rows = ({"seed": 1, "text": "new"}, {"seed": 3, "text": "c"})
    outcome = push(tiny.write("two", version="2.0.0", rows=rows), "--dry-run")
    assert outcome.code == 0, outcome.err
    for line in (
        r"change  data/worlds-en\.jsonl +\d+  [0-9a-f]{12}  [0-9a-f]{12}$",
        r"delete  worlds/en-00001-of-00002\.parquet +0  [0-9a-f]{12}$",
        r"kept, for no release brought them: notes\.txt",
        r"worlds  en +1 +1 +1  added seed 3; changed seed 1; removed seed 2",
        r"worlds/en changed in: text \(1\)",
        r"plan: 6 files change, [\d,]+ bytes to upload at most, tag v2\.0\.0",
    ):
        assert re.search(line, outcome.out, re.MULTILINE), f"{line}\n{outcome.out}"
    assert {request.method for request in served.requests} <= {"GET", "HEAD"}


@pytest.mark.parametrize("reason", ["token", "repo", "hub"])
def test_a_dry_run_without_the_hub_plans_for_an_empty_repo(
    served: LoopbackHub,
    push: Call,
    unchecked: None,
    tiny: Tiny,
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    if reason == "token":
        monkeypatch.delenv("HF_TOKEN")
    if reason == "hub":
        served.faults.add(Fail(503), times=None)
    outcome = push(tiny.write(), "--dry-run")
    assert outcome.code == 0
    assert "; this is the plan for an empty repo" in outcome.err
    assert "plan: 6 files change" in outcome.out


def test_a_public_repo_is_read_without_a_token(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    outcome = push(tiny.write(), "--dry-run")
    assert (outcome.code, outcome.err) == (0, "")


def test_json(served: LoopbackHub, push: Call, unchecked: None, tiny: Tiny) -> None:
    first = json.loads(push(tiny.write("one"), "--create-repo", "--yes", "--json").out)
    assert first["plan"]["parent"] is None
    assert [change["change"] for change in first["plan"]["changes"]] == ["add"] * 6
    assert first["result"]["commit"] == served.repository(REPO).branches["main"]
    assert (first["result"]["committed"], first["result"]["tagged"], first["diff"]) == (True, True, None)
    folder = tiny.write("two", version="2.0.0", rows=({"seed": 1, "text": "z"},))
    dry = json.loads(push(folder, "--dry-run", "--json").out)
    (part,) = dry["diff"]["rows"]
    assert (part["added"], part["removed"], part["changed"], part["fields"]) == (0, 1, 1, {"text": 1})
    change = next(change for change in dry["plan"]["changes"] if change["path"] == "data/worlds-en.jsonl")
    assert len(change["old"]) == len(change["new"]) == 40


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 3), ("", 3)])
def test_the_question_on_a_terminal(
    served: LoopbackHub,
    repo: str,
    push: Call,
    unchecked: None,
    tiny: Tiny,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    code: int,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(answer))
    outcome = push(tiny.write())
    assert outcome.code == code, outcome.err
    assert f"Push this to {REPO}? [y/N]" in outcome.err
    assert bool(served.repository(REPO).tags) is (code == 0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--repo-id", REPO],
            "no terminal to ask on, so nothing was pushed; look with --dry-run, then push with --yes",
        ),
        (["--repo-id", REPO, "--yes", "--private"], "--private goes with --create-repo"),
        (["--repo-id", REPO, "--yes", "--create-pr", "--create-repo"], "do not go together"),
        (["--repo-id", REPO, "--yes", "--message", " "], "--message is empty"),
        (["--repo-id", "data", "--yes"], "'data' is no dataset repo; write NAMESPACE/NAME"),
        (["--repo-id", "me/da ta", "--yes"], "is no dataset repo"),
        ([], "--repo-id"),
    ],
)
def test_wrong_usage(served: LoopbackHub, hub: Call, tiny: Tiny, arguments: list[str], says: str) -> None:
    outcome = hub("push", f"{tiny.write()}/", *arguments)
    assert outcome.code == 2
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert served.requests == ()


def test_a_repo_that_exists_keeps_its_visibility(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny
) -> None:
    outcome = push(tiny.write(), "--yes", "--create-repo", "--private")
    assert outcome.code == 0
    assert outcome.err == f"{REPO} exists already and keeps its visibility; --private changes nothing\n"
    assert not served.repository(REPO).private


def test_a_message_of_ones_own(served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny) -> None:
    assert push(tiny.write(), "--yes", "--message", "Hello").code == 0
    assert served.repository(REPO).resolve("main").title == "Hello"


def test_a_pull_request(served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny) -> None:
    outcome = push(tiny.write(), "--yes", "--create-pr")
    assert outcome.code == 0
    page = f"{served.endpoint}/datasets/{REPO}/discussions/1"
    assert re.search(
        f"^proposed: closebench 1.0.0 at [0-9a-f]{{40}} in {page}; tag it after the merge$", outcome.out, re.M
    )
    assert "proposed already" in push(tiny.write(), "--yes", "--create-pr").out


def test_stopped_by_hand(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pipeline.hub.publish.differences", stop)
    outcome = push(tiny.write(), "--yes")
    assert outcome.code == 3
    assert "is at the old or at the new revision; run the same command again to finish" in outcome.err


def test_rows_on_the_hub_that_cannot_be_read_do_not_stop_the_push(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny, api: HfApi
) -> None:
    push(tiny.write("one"), "--yes")
    operation = CommitOperationAdd("data/worlds-en.jsonl", b"{\n")
    api.create_commit(REPO, [operation], commit_message="by hand", repo_type="dataset")
    outcome = push(tiny.write("two", version="2.0.0", rows=({"seed": 9, "text": "z"},)), "--yes")
    assert outcome.code == 0
    assert outcome.err.startswith("the rows on the Hub cannot be compared: ")


def test_control_characters_of_a_repo_are_shown_and_not_obeyed(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny, api: HfApi
) -> None:
    operation = CommitOperationAdd("notes\x1b[2J.txt", b"1")
    api.create_commit(REPO, [operation], commit_message="by hand", repo_type="dataset")
    outcome = push(tiny.write(), "--dry-run")
    assert outcome.code == 0, outcome.err
    assert r"kept, for no release brought them: notes\x1b[2J.txt" in outcome.out
    served.faults.add(Fail(403, body=json.dumps({"error": "no\x1b[31m way"}).encode()), times=None)
    assert r"(the Hub says: no\x1b[31m way)" in push(tiny.write(), "--yes").err


def test_the_documentation_shows_what_a_push_prints(
    served: LoopbackHub, repo: str, push: Call, unchecked: None, tiny: Tiny
) -> None:
    page = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")
    transcript = page[page.index("--create-repo --yes") :].partition("\n\n")[0]
    for folder in (tiny.write(), tiny.write()):
        printed = push(folder, "--yes").out.splitlines()[-4:]
        assert [line.split()[0] for line in printed] == [line.split()[0] for line in transcript.splitlines()[-4:]]
        transcript = page[page.index("me/closebench --yes") :].partition("```")[0]
