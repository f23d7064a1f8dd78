"""The loopback Hub without a client: names as git makes them, storage modes, refusals, shutdown."""

from __future__ import annotations

import base64
import http.client
import json
import logging
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from pipeline.hub.attributes import declared_mode
from pipeline.hub.loopback import Account, LoopbackHub
from pipeline.hub.loopback.attributes import INITIAL_ATTRIBUTES, upload_mode, with_attributes
from pipeline.hub.loopback.card import check_card
from pipeline.hub.loopback.messages import Request, Response
from pipeline.hub.loopback.objects import Entry, folder_oids, git_oid
from pipeline.hub.loopback.protocol import handle
from pipeline.hub.loopback.state import State


@pytest.fixture
def state() -> State:
    return State("http://hub", {"t": Account()})


def ask(state: State, method: str, target: str, body: Any = b"", **headers: str) -> Response:
    path, _, query = target.partition("?")
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return handle(state, Request(method, path, query, {"authorization": "Bearer t", **headers}, content))


def create(state: State) -> None:
    answer = ask(state, "POST", "/api/repos/create", {"name": "demo", "organization": "me", "type": "dataset"})
    assert answer.status == 200


def commit(state: State, *operations: dict[str, Any], **header: str) -> Response:
    lines = [{"key": "header", "value": {"summary": "s", **header}}, *operations]
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    return ask(state, "POST", "/api/datasets/me/demo/commit/main", body)


def add(path: str, content: bytes = b"x") -> dict[str, Any]:
    encoded = base64.b64encode(content).decode()
    return {"key": "file", "value": {"path": path, "content": encoded, "encoding": "base64"}}


def test_names_are_those_of_git(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    # "a.b" sorts before the folder "a/" and "a0" after it, which a plain sort of names gets wrong.
    files = {"a/x/y.txt": b"1", "a/z.txt": b"2", "a.b": b"3", "a0": b"4", "имя.txt": b"5"}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    subprocess.run([git, "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([git, "add", "."], cwd=tmp_path, check=True)
    tree = subprocess.run([git, "write-tree"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert folder_oids({path: Entry.regular(content) for path, content in files.items()})[""] == tree.stdout.strip()


def test_empty_tree_has_gits_name() -> None:
    assert folder_oids({}) == {"": "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}
    assert git_oid("blob", b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_equal_histories_get_equal_names() -> None:
    heads = []
    for _ in range(2):
        state = State("http://hub", {"t": Account()})
        create(state)
        heads.append(json.loads(commit(state, add("a.txt")).body)["commitOid"])
    assert heads[0] == heads[1]


@pytest.mark.parametrize(
    ("path", "size", "sample", "mode"),
    [
        ("worlds/en.parquet", 10, b"text", "lfs"),
        ("worlds/en.jsonl", 4_200_000, b'{"a":1}', "regular"),
        ("worlds/en.jsonl", 10_000_001, b'{"a":1}', "lfs"),
        ("data.unknown", 10, b"a\0b", "lfs"),
        ("data.unknown", 10, b"\xff\xfe", "lfs"),
        ("README.md", 600, "я".encode() * 10 + "я".encode()[:1], "regular"),
        ("empty.parquet", 0, b"", "regular"),
        ("saved_model/a/b", 10, b"text", "lfs"),
        ("logs/tfevents.1", 10, b"text", "lfs"),
    ],
)
def test_upload_mode(path: str, size: int, sample: bytes, mode: str) -> None:
    assert upload_mode(path, size, sample, INITIAL_ATTRIBUTES) == mode


def test_last_line_of_gitattributes_decides() -> None:
    text = "# comment\n\n*.bin filter=lfs\nkeep/*.bin -filter\n/top.txt filter=lfs\n[ab]?.dat filter=lfs diff=lfs\n"
    modes = {path: declared_mode(path, text) for path in ("x/a.bin", "keep/a.bin", "top.txt", "x/top.txt", "a1.dat")}
    assert modes == {
        "x/a.bin": "lfs",
        "keep/a.bin": "regular",
        "top.txt": "lfs",
        "x/top.txt": None,
        "a1.dat": "lfs",
    }


@pytest.mark.parametrize("path", ["big.jsonl", "a folder/big [1] *.jsonl"])
def test_lfs_file_that_no_line_covers_gets_one(path: str) -> None:
    tree = with_attributes({path: Entry.large(b"x"), "other": Entry.regular(b"y")})
    text = tree[".gitattributes"].content.decode()
    assert declared_mode(path, text) == "lfs"
    assert declared_mode("other", text) is None
    assert with_attributes(tree) == tree


def test_card_check() -> None:
    assert check_card("---\nlicense: mit\n---\n") == ([], [])
    assert check_card("---\nlicense: mit\n") == ([], ["empty or missing yaml metadata in repo card"])
    errors, _ = check_card("---\na: 1\nb: !!python/tuple [1]\n---\n")
    assert errors == ["line 3: unknown tag !!python"]


@pytest.mark.parametrize("path", ["", "/a", "a//b", "../a", "a/./b", ".git/config", "a\0b"])
def test_paths_that_leave_the_repo_are_refused(state: State, path: str) -> None:
    create(state)
    assert commit(state, add(path)).status == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b'{"key":"file","value":{"path":"a","content":"","encoding":"base64"}}',
        b'{"key":"header","value":{"summary":""}}',
        b'{"key":"header","value":{"summary":"s"}}\n{"key":"move","value":{"path":"a"}}',
        b'{"key":"header","value":{"summary":"s"}}\n{"key":"file","value":{"path":"a","content":"?","encoding":"base64"}}',
        b'{"key":"header","value":{"summary":"s","parentCommit":"main"}}',
        b'{"key":"header","value":{"summary":"s"}}\n{"key":"lfsFile","value":{"path":"a","oid":"00"}}',
        b"[1]",
    ],
)
def test_malformed_commit_is_a_400(state: State, body: bytes) -> None:
    create(state)
    before = state.repositories["me/demo"].branches["main"]
    assert ask(state, "POST", "/api/datasets/me/demo/commit/main", body).status == 400
    assert state.repositories["me/demo"].branches["main"] == before


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("/api/repos/create", b"["),
        ("/api/repos/create", {"name": "a/b", "type": "dataset"}),
        ("/api/repos/create", {"name": "a", "type": "model"}),
        ("/api/repos/create", {"type": "dataset"}),
        ("/api/datasets/me/demo/preupload/main", {"files": [{}]}),
        ("/api/datasets/me/demo/preupload/main", {}),
        ("/datasets/me/demo.git/info/lfs/objects/batch", {"operation": "download", "objects": []}),
        ("/datasets/me/demo.git/info/lfs/objects/batch", {"operation": "upload", "objects": 1}),
        ("/api/datasets/me/demo/tag/main", {"tag": 1}),
        ("/api/datasets/me/demo/tag/main", [1]),
    ],
)
def test_malformed_request_is_a_400(state: State, target: str, body: Any) -> None:
    create(state)
    assert ask(state, "POST", target, body).status == 400


def test_lfs_object_must_be_announced_and_be_what_was_announced(state: State) -> None:
    create(state)
    right = Entry.large(b"content").sha256
    assert ask(state, "PUT", f"/lfs/me/demo/{right}", b"content").status == 403
    batch = {"operation": "upload", "objects": [{"oid": right, "size": 7}]}
    assert ask(state, "POST", "/datasets/me/demo.git/info/lfs/objects/batch", batch).status == 200
    assert ask(state, "PUT", f"/lfs/me/demo/{right}", b"CONTENT").status == 400
    assert ask(state, "POST", "/lfs/me/demo/verify", {"oid": right, "size": 7}).status == 404
    assert ask(state, "PUT", f"/lfs/me/demo/{right}", b"content").status == 200
    assert ask(state, "POST", "/lfs/me/demo/verify", {"oid": right, "size": 7}).status == 200


def test_delete_then_add_replaces(state: State) -> None:
    create(state)
    commit(state, add("d/a.txt"), add("d/b.txt"))
    commit(state, {"key": "deletedFolder", "value": {"path": "d/"}}, add("d/a.txt", b"new"))
    tree = state.repositories["me/demo"].resolve("main").tree
    assert {path: entry.content for path, entry in tree.items() if path != ".gitattributes"} == {"d/a.txt": b"new"}


def test_resolve_answers_head_as_get(state: State) -> None:
    create(state)
    head = json.loads(commit(state, add("d/a.txt", b"text")).body)["commitOid"]
    for method in ("HEAD", "GET"):
        answer = ask(state, method, "/datasets/me/demo/resolve/refs%2Fheads%2Fmain/d%2Fa.txt")
        assert (answer.status, answer.body, answer.headers["X-Repo-Commit"]) == (200, b"text", head)
        assert answer.headers["ETag"] == f'"{git_oid("blob", b"text")}"'
    missing = ask(state, "HEAD", "/datasets/me/demo/resolve/main/none")
    assert (missing.headers["X-Error-Code"], missing.headers["X-Repo-Commit"]) == ("EntryNotFound", head)


def test_unencoded_pull_request_ref_in_a_path(state: State) -> None:
    create(state)
    ask(state, "POST", "/api/datasets/me/demo/discussions", {"title": "t", "pullRequest": True})
    assert ask(state, "GET", "/datasets/me/demo/resolve/refs/pr/1/.gitattributes").status == 200
    assert ask(state, "GET", "/api/datasets/me/demo/tree/refs/pr/1").status == 200


def test_error_message_fits_a_header(state: State) -> None:
    create(state)
    answer = ask(state, "GET", "/api/datasets/me/demo/revision/%D1%8F%0Ax")
    assert answer.headers["X-Error-Message"] == "Invalid rev id: \\u044f x"
    assert json.loads(answer.body)["error"] == "Invalid rev id: я\nx"


def test_defect_is_a_500_and_is_logged(state: State, caplog: pytest.LogCaptureFixture) -> None:
    create(state)
    state.repositories["me/demo"].branches["main"] = "gone"
    with caplog.at_level(logging.ERROR):
        assert ask(state, "GET", "/api/datasets/me/demo").status == 500
    assert "GET /api/datasets/me/demo failed" in caplog.text
    assert "Bearer" not in caplog.text


def test_close_ends_idle_connections_and_frees_the_port() -> None:
    before = set(threading.enumerate())
    hub = LoopbackHub().start()
    connection = http.client.HTTPConnection(hub.endpoint.removeprefix("http://"))
    connection.request("GET", "/api/whoami-v2")
    assert connection.getresponse().read()
    ours = set(threading.enumerate()) - before
    hub.close()
    hub.close()
    assert ours
    assert not any(thread.is_alive() for thread in ours)
    connection.close()
    port = int(hub.endpoint.rpartition(":")[2])
    with LoopbackHub(port=port) as again:
        assert again.endpoint == hub.endpoint


def test_half_a_request_has_no_effect() -> None:
    with LoopbackHub() as hub:
        api = http.client.HTTPConnection(hub.endpoint.removeprefix("http://"))
        bearer = {"Authorization": f"Bearer {hub.token}"}
        api.request("POST", "/api/repos/create", b'{"name": "demo", "type": "dataset"}', bearer)
        assert api.getresponse().read()
        before = hub.repository("me/demo").branches["main"]
        api.putrequest("POST", "/api/datasets/me/demo/commit/main")
        api.putheader("Authorization", bearer["Authorization"])
        api.putheader("Content-Length", "1000")
        # A whole commit as far as it goes; the client dies before the rest.
        api.endheaders(b'{"key": "header", "value": {"summary": "s"}}\n')
        api.close()
    assert hub.repository("me/demo").branches["main"] == before
    assert len(hub.requests) == 1


def test_chunked_body_is_refused_and_recorded() -> None:
    with LoopbackHub() as hub:
        connection = http.client.HTTPConnection(hub.endpoint.removeprefix("http://"))
        # Headers alone: the refusal needs no body, and a client still sending one would find the connection closed.
        connection.putrequest("POST", "/api/repos/create")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        assert connection.getresponse().status == 411
        connection.close()
        assert hub.requests[-1].status == 411


def test_environment_of_a_consumer(tmp_path: Path) -> None:
    with LoopbackHub() as hub:
        variables = hub.environment(tmp_path)
        assert (variables["HF_ENDPOINT"], variables["HF_TOKEN"]) == (hub.endpoint, hub.token)
        assert variables["HF_HUB_DISABLE_XET"] == "1"
        assert variables["HF_HOME"] == str(tmp_path)
        assert "HF_HOME" not in hub.environment()


def test_what_is_published_with_needs_no_hub_on_loopback() -> None:
    folder = ROOT / "pipeline" / "hub"
    for path in (*folder.glob("*.py"), ROOT / "pipeline" / "cli" / "push_command.py"):
        assert "pipeline.hub.loopback" not in path.read_text(encoding="utf-8"), path
