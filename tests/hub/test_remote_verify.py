"""``verify --repo-id``: what the Hub serves at one commit, proved like a folder, and its listing with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Outcome
from hub_accounts import REPO
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from tiny_releases import run

from pipeline.hub.loopback import LoopbackHub
from pipeline.hub.publish import Push

pytest_plugins = ["hub_fixtures"]

Call = Callable[..., Outcome]
CHECKS = ("hub", "files", "rebuild", "parquet", "grading", "leaks", "load")


@pytest.fixture
def pushed(served: LoopbackHub, repo: str, push_to: Callable[..., Push], small_release: Path) -> str:
    """The commit of a release of four seeds."""
    return run(push_to(small_release)).commit


@pytest.fixture
def verify(hub: Call) -> Call:
    """Verify a revision, without the slow check unless it is asked for."""

    def call(*arguments: str, load: bool = False) -> Outcome:
        return hub("verify", "--repo-id", REPO, *([] if load else ["--skip", "load"]), *arguments)

    return call


def change(api: HfApi, path: str, content: bytes | None) -> None:
    operation = CommitOperationDelete(path) if content is None else CommitOperationAdd(path, content)
    api.create_commit(REPO, [operation], commit_message="by hand", repo_type="dataset")


def test_a_tag_passes_every_check_and_the_report_names_the_commit(pushed: str, verify: Call) -> None:
    outcome = verify("--revision", "v1.0.0", load=True)
    assert outcome.code == 0, outcome.out
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[0] == f"closebench 1.0.0: {REPO}@v1.0.0, commit {pushed}"
    assert [line.split()[:2] for line in lines[1:8]] == [[check, "passed"] for check in CHECKS]
    assert lines[-1] == "  result: every check passed"


@pytest.mark.parametrize("form", ["branch", "commit", "short commit", "ref"])
def test_any_name_of_the_revision(pushed: str, verify: Call, form: str) -> None:
    names = {"branch": "main", "commit": pushed, "short commit": pushed[:8], "ref": "refs/heads/main"}
    outcome = verify("--revision", names[form], "--n", "1")
    assert outcome.code == 0, outcome.out
    assert f"commit {pushed}" in outcome.out


def test_a_byte_changed_through_the_client_is_found(pushed: str, api: HfApi, verify: Call, small_release: Path) -> None:
    path = "data/truth-en.jsonl"
    content = (small_release / path).read_bytes().replace(b"E1", b"E2", 1)
    change(api, path, content)
    outcome = verify()
    assert outcome.code == 1
    assert f"    {path}: has SHA-256 " in outcome.out
    assert verify("--revision", "v1.0.0").code == 0  # the tag is where it was


def test_a_large_file_replaced_is_found_in_the_listing(pushed: str, api: HfApi, verify: Call) -> None:
    path = "worlds/en-00000-of-00001.parquet"
    change(api, path, b"PAR1\0 of somebody PAR1")
    outcome = verify("--json")
    assert outcome.code == 1
    (report,) = json.loads(outcome.out)
    results = {result["check"]: result for result in report["results"]}
    assert results["hub"]["status"] == "failed"
    assert results["hub"]["findings"][0]["place"] == path
    assert "is listed by the Hub with 22 bytes" in results["hub"]["findings"][0]["message"]


def test_bytes_served_otherwise_than_listed_are_found(served: LoopbackHub, pushed: str, verify: Call) -> None:
    tree = served.repository(REPO).commits[pushed].tree
    entry = tree["LICENSE"]
    tree["LICENSE"] = replace(entry, content=entry.content[:-2] + b"!\n")  # type: ignore[index]
    outcome = verify()
    assert outcome.code == 1
    assert "LICENSE: is served with" in outcome.out


def test_a_file_removed_is_found(pushed: str, api: HfApi, verify: Call) -> None:
    change(api, "schemas/truth.json", None)
    outcome = verify()
    assert outcome.code == 1
    assert "schemas/truth.json: is listed in the manifest and not on the Hub" in outcome.out


def test_files_of_others_are_named_and_no_fault(pushed: str, api: HfApi, verify: Call) -> None:
    change(api, "notes.txt", b"mine")
    outcome = verify()
    assert outcome.code == 0, outcome.out
    assert "also in the repo, and no part of the release: notes.txt" in outcome.out


def test_control_characters_of_a_repo_are_shown_and_not_obeyed(pushed: str, api: HfApi, verify: Call) -> None:
    change(api, "notes\x1b[2J.txt", b"mine")
    outcome = verify("--n", "1")
    assert r"no part of the release: notes\x1b[2J.txt" in outcome.out
    assert all(line.isprintable() for line in outcome.out.split("\n"))


def test_a_repo_without_a_release(served: LoopbackHub, repo: str, verify: Call) -> None:
    outcome = verify()
    assert (outcome.code, outcome.out) == (3, "")
    said = f"error: {REPO}@main holds no release: it has no manifest.json; name another revision\n"
    assert outcome.err == said


def test_nothing_is_left_behind(pushed: str, verify: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(Path(os.environ["HF_HOME"]).rglob("*"))
    assert verify().code == 0
    assert list(tmp_path.glob("closebench-hub-*")) == []
    assert sorted(Path(os.environ["HF_HOME"]).rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--repo-id", REPO, "--revision", "v9"], 3, "me/data has no such revision"),
        (["--repo-id", "me/absent"], 3, "absent, misspelt or private"),
        (["--repo-id", "absent"], 2, "NAMESPACE/NAME"),
        (["--revision", "v1"], 2, "--revision goes with --repo-id"),
        (["closebench", "--repo-id", REPO], 2, "do not go together"),
    ],
)
def test_wrong_usage(
    served: LoopbackHub, repo: str, hub: Call, naps: list[float], arguments: list[str], code: int, says: str
) -> None:
    outcome = hub("verify", *arguments)
    assert outcome.code == code
    assert says in outcome.err
    assert "create it" not in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_the_way_back_that_is_offered_leads_back(served: LoopbackHub, pushed: str, api: HfApi, tmp_path: Path) -> None:
    """What a push says when the Hub serves something else: download the parent, upload it in place of the head."""
    before = dict(served.repository(REPO).resolve("main").tree)
    change(api, "README.md", b"---\nlicense: mit\n---\nwrong")
    change(api, "worlds/more.parquet", b"PAR1 more")
    hf = str(Path(sys.executable).with_name("hf"))
    env = {**os.environ, **served.environment(tmp_path / "home")}
    download = [hf, "download", REPO, "--repo-type", "dataset", "--revision", pushed, "--local-dir", "previous"]
    upload = [hf, "upload", REPO, "previous", ".", "--repo-type", "dataset", "--delete", "*"]
    for command in (download, upload):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert dict(served.repository(REPO).resolve("main").tree) == before
