"""The loopback Hub under the real client: every call of huggingface_hub that publishing and reading a dataset needs."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
    HfFileSystem,
    close_session,
    constants,
)
from huggingface_hub.errors import (
    BadRequestError,
    GatedRepoError,
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from pipeline.hub.loopback import PROPOSE, READ, WRITE, Account, LoopbackHub

REPO = "me/demo"
CARD = b"---\nlicense: mit\n---\n# Demo\n"
PARQUET = b"PAR1" + bytes(range(256)) * 8 + b"PAR1"
FILES = {"README.md": CARD, "truth/en.jsonl": b'{"seed":1}\n', "truth/en-00000.parquet": PARQUET}
ACCOUNTS = {
    "hf_owner": Account("me", orgs=("acme",)),
    "hf_reader": Account("me", "read"),
    "hf_stranger": Account("eve"),
    "hf_scoped": Account("me", "fineGrained", scopes={"me/other": (READ, WRITE), "me/demo": (READ,)}),
    "hf_proposer": Account("me", "fineGrained", scopes={"me": (READ, PROPOSE)}),
}


@pytest.fixture(autouse=True)
def _lfs_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    close_session()
    yield
    close_session()


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub(ACCOUNTS) as hub:
        yield hub


@pytest.fixture
def api(hub: LoopbackHub) -> HfApi:
    return HfApi(endpoint=hub.endpoint, token=hub.token)


@pytest.fixture
def repo(api: HfApi) -> str:
    api.create_repo(REPO, repo_type="dataset")
    return REPO


@pytest.fixture
def filled(api: HfApi, repo: str) -> str:
    """The hash of a commit that adds `FILES`."""
    return push(api, FILES)


def push(api: HfApi, files: dict[str, bytes], *, delete: tuple[str, ...] = (), **options: object) -> str:
    adds = [CommitOperationAdd(path, content) for path, content in files.items()]
    deletes = [CommitOperationDelete(path) for path in delete]
    done = api.create_commit(REPO, [*adds, *deletes], commit_message="push", repo_type="dataset", **options)
    return done.oid


def paths(api: HfApi, revision: str = "main") -> set[str]:
    return set(api.list_repo_files(REPO, repo_type="dataset", revision=revision)) - {".gitattributes"}


def status_of(error: pytest.ExceptionInfo[HfHubHTTPError]) -> int:
    return error.value.response.status_code


def test_whoami_names_user_orgs_and_role(hub: LoopbackHub, api: HfApi) -> None:
    me = api.whoami()
    assert (me["name"], me["auth"]["accessToken"]["role"], me["orgs"][0]["name"]) == ("me", "write", "acme")
    scoped = api.whoami(token="hf_scoped")["auth"]["accessToken"]["fineGrained"]["scoped"]
    assert [scope["entity"]["name"] for scope in scoped] == ["me/other", "me/demo"]
    with pytest.raises(HfHubHTTPError, match="Invalid user token"):
        api.whoami(token="hf_nobody")


def test_create_repo_twice(api: HfApi) -> None:
    assert api.create_repo(REPO, repo_type="dataset", private=True).repo_id == REPO
    assert api.create_repo(REPO, repo_type="dataset", exist_ok=True).repo_id == REPO
    with pytest.raises(HfHubHTTPError) as error:
        api.create_repo(REPO, repo_type="dataset")
    assert status_of(error) == 409
    assert api.dataset_info(REPO).private is True
    assert api.create_repo("plain", repo_type="dataset").repo_id == "me/plain"


def test_delete_repo(api: HfApi, repo: str) -> None:
    api.delete_repo(repo, repo_type="dataset")
    with pytest.raises(RepositoryNotFoundError):
        api.delete_repo(repo, repo_type="dataset")
    api.delete_repo(repo, repo_type="dataset", missing_ok=True)


def test_one_commit_adds_regular_and_lfs_files_and_deletes(hub: LoopbackHub, api: HfApi, filled: str) -> None:
    hub.forget_requests()
    head = push(api, {"new/a.parquet": PARQUET + b"2", "new.txt": b"text"}, delete=("truth/", "README.md"))
    assert paths(api) == {"new/a.parquet", "new.txt"}
    assert len([seen for seen in hub.requests if seen.method == "POST" and "/commit/" in seen.path]) == 1
    history = api.list_repo_commits(REPO, repo_type="dataset")
    assert [commit.commit_id for commit in history[:2]] == [head, filled]
    assert [commit.title for commit in history] == ["push", "push", "initial commit"]


def test_identical_recommit_makes_no_commit(hub: LoopbackHub, api: HfApi, filled: str) -> None:
    hub.forget_requests()
    assert push(api, FILES) == filled
    assert not [seen for seen in hub.requests if "/commit/" in seen.path]
    assert not [seen for seen in hub.requests if seen.method == "PUT"]


def test_present_lfs_object_is_not_uploaded_again(hub: LoopbackHub, api: HfApi, filled: str) -> None:
    hub.forget_requests()
    push(api, {"elsewhere.parquet": PARQUET})
    assert [seen.path for seen in hub.requests if "/lfs/" in seen.path and "batch" not in seen.path] == []


def test_interrupted_upload_leaves_the_repo_and_is_resumed(hub: LoopbackHub, api: HfApi, filled: str) -> None:
    add = CommitOperationAdd("late.parquet", PARQUET + b"late")
    api.preupload_lfs_files(REPO, [add], repo_type="dataset")
    assert paths(api) == set(FILES)
    hub.forget_requests()
    push(api, {"late.parquet": PARQUET + b"late"})
    assert not [seen for seen in hub.requests if seen.method == "PUT"]


def test_stale_parent_is_refused(api: HfApi, filled: str) -> None:
    head = push(api, {"a.txt": b"a"}, parent_commit=filled)
    with pytest.raises(HfHubHTTPError) as error:
        push(api, {"a.txt": b"b"}, parent_commit=filled)
    assert status_of(error) == 412
    assert api.dataset_info(REPO).sha == head
    assert push(api, {"a.txt": b"b"}, parent_commit=head[:7]) != head


def test_of_racing_commits_on_one_parent_one_wins(api: HfApi, filled: str) -> None:
    def race(number: int) -> int:
        try:
            push(api, {"a.txt": b"%d" % number}, parent_commit=filled)
        except HfHubHTTPError as error:
            return error.response.status_code
        return 200

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(race, range(8))) == [200, *[412] * 7]
    assert len(api.list_repo_commits(REPO, repo_type="dataset")) == 3


def test_failed_commit_has_no_effect(api: HfApi, filled: str) -> None:
    with pytest.raises(RemoteEntryNotFoundError):
        push(api, {"a.txt": b"a"}, delete=("nothing.txt",))
    with pytest.raises(RemoteEntryNotFoundError):
        push(api, {"a.txt": b"a"}, delete=("nothing/",))
    with pytest.raises(BadRequestError):
        push(api, {"README.md/a.txt": b"a"})
    with pytest.raises(RevisionNotFoundError):
        push(api, {"a.txt": b"a"}, revision="nobranch")
    assert api.dataset_info(REPO).sha == filled


def test_copy_within_a_repo(api: HfApi, filled: str) -> None:
    copies = [CommitOperationCopy("truth/en-00000.parquet", "b.parquet"), CommitOperationCopy("README.md", "c.md")]
    api.create_commit(REPO, copies, commit_message="copy", repo_type="dataset")
    info = {entry.path: entry for entry in api.get_paths_info(REPO, ["b.parquet", "c.md"], repo_type="dataset")}
    assert info["b.parquet"].lfs.sha256 == hashlib.sha256(PARQUET).hexdigest()
    assert info["c.md"].size == len(CARD)


def test_card_metadata_is_checked(api: HfApi, repo: str) -> None:
    with pytest.warns(UserWarning, match="empty or missing yaml"):
        push(api, {"README.md": b"# No metadata\n"})
    with pytest.raises(ValueError, match="line 2"):
        push(api, {"README.md": b"---\n\tlicense: mit\n---\n"})


def test_tags(api: HfApi, filled: str) -> None:
    api.create_tag(REPO, tag="v1.0.0", revision=filled, repo_type="dataset")
    push(api, {"a.txt": b"a"})
    assert paths(api, "v1.0.0") == set(FILES)
    with pytest.raises(HfHubHTTPError) as error:
        api.create_tag(REPO, tag="v1.0.0", repo_type="dataset")
    assert status_of(error) == 409
    api.create_tag(REPO, tag="v1.0.0", repo_type="dataset", exist_ok=True)
    assert api.dataset_info(REPO, revision="v1.0.0").sha == filled
    with pytest.raises(RevisionNotFoundError):
        api.create_tag(REPO, tag="v2", revision="nowhere", repo_type="dataset")
    with pytest.raises(BadRequestError):
        api.create_tag(REPO, tag="a..b", repo_type="dataset")
    api.delete_tag(REPO, tag="v1.0.0", repo_type="dataset")
    with pytest.raises(RevisionNotFoundError):
        api.delete_tag(REPO, tag="v1.0.0", repo_type="dataset")


def test_branches(api: HfApi, filled: str) -> None:
    api.create_branch(REPO, branch="dev/next", repo_type="dataset")
    api.create_branch(REPO, branch="dev/next", repo_type="dataset", exist_ok=True)
    head = push(api, {"a.txt": b"a"}, revision="dev/next")
    assert api.dataset_info(REPO, revision="dev/next").sha == head
    assert paths(api) == set(FILES)
    with pytest.raises(BadRequestError):
        api.create_branch(REPO, branch="refs/pr/9", repo_type="dataset")
    with pytest.raises(HfHubHTTPError) as error:
        api.delete_branch(REPO, branch="main", repo_type="dataset")
    assert status_of(error) == 403
    api.delete_branch(REPO, branch="dev/next", repo_type="dataset")
    with pytest.raises(RevisionNotFoundError):
        api.dataset_info(REPO, revision="dev/next")


def test_pull_requests(api: HfApi, filled: str) -> None:
    adds = [CommitOperationAdd("a.txt", b"a")]
    options = {"commit_message": "Proposal", "repo_type": "dataset", "create_pr": True, "parent_commit": filled}
    proposed = api.create_commit(REPO, adds, **options)
    assert (proposed.pr_num, proposed.pr_revision) == (1, "refs/pr/1")
    assert paths(api) == set(FILES)
    assert paths(api, "refs/pr/1") == {*FILES, "a.txt"}
    push(api, {"b.txt": b"b"}, revision="refs/pr/1")
    assert paths(api, "refs/pr/1") == {*FILES, "a.txt", "b.txt"}
    draft = api.create_pull_request(REPO, title="Draft", repo_type="dataset")
    assert (draft.num, draft.status, draft.target_branch) == (2, "draft", "refs/heads/main")
    assert [seen.num for seen in api.get_repo_discussions(REPO, repo_type="dataset")] == [2, 1]


def test_list_repo_refs(api: HfApi, filled: str) -> None:
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    api.create_pull_request(REPO, title="PR", repo_type="dataset")
    refs = api.list_repo_refs(REPO, repo_type="dataset", include_pull_requests=True)
    assert [(ref.name, ref.ref, ref.target_commit) for ref in refs.branches] == [("main", "refs/heads/main", filled)]
    assert [(ref.ref, ref.target_commit) for ref in refs.tags] == [("refs/tags/v1", filled)]
    assert refs.pull_requests is not None
    assert [ref.ref for ref in refs.pull_requests] == ["refs/pr/1"]


def test_revision_is_found_under_each_of_its_names(api: HfApi, filled: str) -> None:
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    for revision in ("main", "refs/heads/main", "v1", "refs/tags/v1", filled, filled[:8]):
        assert api.dataset_info(REPO, revision=revision).sha == filled


def test_tree_and_paths_info(api: HfApi, filled: str) -> None:
    top = {entry.path for entry in api.list_repo_tree(REPO, repo_type="dataset")}
    assert top == {".gitattributes", "README.md", "truth"}
    entries = {entry.path: entry for entry in api.list_repo_tree(REPO, "truth", repo_type="dataset", expand=True)}
    large = entries["truth/en-00000.parquet"]
    assert (large.lfs.sha256, large.size) == (hashlib.sha256(PARQUET).hexdigest(), len(PARQUET))
    assert large.last_commit.oid == filled
    regular = entries["truth/en.jsonl"]
    assert regular.lfs is None
    assert regular.blob_id == hashlib.sha1(b"blob 11\0" + FILES["truth/en.jsonl"]).hexdigest()
    info = api.get_paths_info(REPO, ["truth", "README.md", "absent"], repo_type="dataset")
    assert [entry.path for entry in info] == ["truth", "README.md"]
    with pytest.raises(RemoteEntryNotFoundError):
        list(api.list_repo_tree(REPO, "absent", repo_type="dataset"))


def test_repo_info_with_blobs(api: HfApi, filled: str) -> None:
    siblings = {sibling.rfilename: sibling for sibling in api.dataset_info(REPO, files_metadata=True).siblings or []}
    assert siblings["README.md"].size == len(CARD)
    assert siblings["truth/en-00000.parquet"].lfs["sha256"] == hashlib.sha256(PARQUET).hexdigest()


def test_listing_in_pages() -> None:
    with LoopbackHub(ACCOUNTS, page_size=3) as hub:
        api = HfApi(endpoint=hub.endpoint, token=hub.token)
        api.create_repo(REPO, repo_type="dataset")
        files = {f"d/{number}.txt": b"%d" % number for number in range(10)}
        push(api, files)
        assert paths(api) == set(files)
        assert len([seen for seen in hub.requests if "/tree/" in seen.path]) == 4  # ten files, the folder, attributes
        for number in range(5):
            push(api, {"a.txt": b"%d" % number})
        assert len(api.list_repo_commits(REPO, repo_type="dataset")) == 7


def test_downloads_are_byte_for_byte(api: HfApi, filled: str, tmp_path: Path) -> None:
    folder = Path(api.snapshot_download(REPO, repo_type="dataset", cache_dir=tmp_path))
    assert folder.name == filled
    for path, content in FILES.items():
        assert (folder / path).read_bytes() == content
        single = api.hf_hub_download(REPO, path, repo_type="dataset", revision=filled, cache_dir=tmp_path / "single")
        assert Path(single).read_bytes() == content


def test_the_clients_own_checksums_agree(api: HfApi, filled: str, tmp_path: Path) -> None:
    folder = Path(api.snapshot_download(REPO, repo_type="dataset", local_dir=tmp_path))
    result = api.verify_repo_checksums(REPO, repo_type="dataset", local_dir=folder, revision=filled)
    assert (result.mismatches, result.missing_paths, result.extra_paths) == ([], [], [])
    (folder / "truth/en-00000.parquet").write_bytes(PARQUET[:-1] + b"2")
    result = api.verify_repo_checksums(REPO, repo_type="dataset", local_dir=folder, revision=filled)
    assert [mismatch["path"] for mismatch in result.mismatches] == ["truth/en-00000.parquet"]


def test_paths_beyond_ascii(api: HfApi, repo: str, tmp_path: Path) -> None:
    name = "отчёт за май/a b%2F#?.txt"
    push(api, {name: "текст".encode()})
    assert paths(api) == {name}
    assert [entry.path for entry in api.list_repo_tree(REPO, "отчёт за май", repo_type="dataset")] == [name]
    got = api.hf_hub_download(REPO, name, repo_type="dataset", cache_dir=tmp_path)
    assert Path(got).read_text(encoding="utf-8") == "текст"


def test_file_system_reads_ranges(hub: LoopbackHub, filled: str) -> None:
    files = HfFileSystem(endpoint=hub.endpoint, token=hub.token, skip_instance_cache=True)
    path = f"datasets/{REPO}@{filled}/truth/en-00000.parquet"
    assert files.read_bytes(path, start=10, end=20) == PARQUET[10:20]
    assert files.cat_file(path) == PARQUET
    assert files.info(path)["size"] == len(PARQUET)
    assert 206 in {seen.status for seen in hub.requests}


@pytest.mark.parametrize(
    ("asked", "start", "stop"), [("bytes=0-9", 0, 10), ("bytes=5-", 5, 2056), ("bytes=-4", 2052, 2056)]
)
def test_ranges(hub: LoopbackHub, filled: str, asked: str, start: int, stop: int) -> None:
    url = f"{hub.endpoint}/datasets/{REPO}/resolve/main/truth/en-00000.parquet"
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Range": asked})) as answer:
        assert (answer.status, answer.read()) == (206, PARQUET[start:stop])
        assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/2056"
        assert answer.headers["X-Repo-Commit"] == filled


def test_range_behind_the_end(hub: LoopbackHub, filled: str) -> None:
    url = f"{hub.endpoint}/datasets/{REPO}/resolve/main/README.md"
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(urllib.request.Request(url, headers={"Range": "bytes=9999-"}))
    error.value.close()
    assert (error.value.code, error.value.headers["Content-Range"]) == (416, f"bytes */{len(CARD)}")


def test_missing_things_map_to_their_exceptions(api: HfApi, filled: str, tmp_path: Path) -> None:
    options = {"repo_type": "dataset", "cache_dir": tmp_path}
    with pytest.raises(RemoteEntryNotFoundError):
        api.hf_hub_download(REPO, "absent.txt", **options)
    with pytest.raises(RevisionNotFoundError):
        api.hf_hub_download(REPO, "README.md", revision="absent", **options)
    with pytest.raises(RepositoryNotFoundError) as error:
        api.dataset_info("me/absent")
    assert status_of(error) == 404
    with pytest.raises(RepositoryNotFoundError) as error:
        api.dataset_info("me/absent", token=False)
    assert status_of(error) == 401
    with pytest.raises(RepositoryNotFoundError):
        api.model_info(REPO)
    assert not api.repo_exists("me/absent", repo_type="dataset")


def test_private_repo_is_hidden(api: HfApi, filled: str) -> None:
    api.update_repo_settings(REPO, repo_type="dataset", private=True)
    assert api.dataset_info(REPO, token="hf_reader").sha == filled
    assert api.dataset_info(REPO, token="hf_scoped").sha == filled
    for token, status in (("hf_stranger", 404), (False, 401)):
        with pytest.raises(RepositoryNotFoundError) as error:
            api.dataset_info(REPO, token=token)
        assert status_of(error) == status
    api.update_repo_settings(REPO, repo_type="dataset", private=False)
    assert api.dataset_info(REPO, token=False).sha == filled


def test_gated_repo_shows_its_files_and_keeps_them(hub: LoopbackHub, api: HfApi, filled: str, tmp_path: Path) -> None:
    api.update_repo_settings(REPO, repo_type="dataset", gated="manual")
    assert api.dataset_info(REPO, token=False).gated == "manual"
    options = {"repo_type": "dataset", "cache_dir": tmp_path}
    for token in ("hf_stranger", False):
        with pytest.raises(GatedRepoError):
            api.hf_hub_download(REPO, "README.md", token=token, **options)
        with pytest.raises(GatedRepoError):
            api.auth_check(REPO, repo_type="dataset", token=token)
    hub.repository(REPO).granted.add("eve")
    assert Path(api.hf_hub_download(REPO, "README.md", token="hf_stranger", **options)).read_bytes() == CARD


@pytest.mark.parametrize("token", ["hf_reader", "hf_stranger", "hf_scoped", "hf_proposer"])
def test_token_without_write_access_is_forbidden(api: HfApi, filled: str, token: str) -> None:
    with pytest.raises(HfHubHTTPError) as error:
        api.auth_check(REPO, repo_type="dataset", write=True, token=token)
    assert status_of(error) == 403
    with pytest.raises(HfHubHTTPError) as error:
        push(api, {"a.txt": b"a"}, token=token)
    assert status_of(error) == 403
    with pytest.raises(HfHubHTTPError) as error:
        api.create_tag(REPO, tag="v1", repo_type="dataset", token=token)
    assert status_of(error) == 403
    assert api.dataset_info(REPO).sha == filled


def test_token_scoped_to_pull_requests_may_open_one(api: HfApi, filled: str) -> None:
    for token in ("hf_proposer", "hf_stranger"):
        adds = [CommitOperationAdd("a.parquet", PARQUET + token.encode())]
        options = {"commit_message": "PR", "repo_type": "dataset", "create_pr": True, "token": token}
        assert api.create_commit(REPO, adds, **options).pr_num
    assert api.dataset_info(REPO).sha == filled


def test_token_scoped_to_one_repo_creates_only_that(api: HfApi) -> None:
    api.create_repo("me/other", repo_type="dataset", token="hf_scoped")
    for name in ("me/third", "acme/third"):
        with pytest.raises(HfHubHTTPError) as error:
            api.create_repo(name, repo_type="dataset", token="hf_scoped")
        assert status_of(error) == 403
    assert api.create_repo("acme/third", repo_type="dataset").repo_id == "acme/third"


def test_bad_and_missing_tokens_are_401(api: HfApi, filled: str) -> None:
    with pytest.raises(HfHubHTTPError) as error:
        api.dataset_info(REPO, token="hf_nobody")
    assert not isinstance(error.value, RepositoryNotFoundError)
    assert status_of(error) == 401
    with pytest.raises(RepositoryNotFoundError) as error:
        push(api, {"a.txt": b"a"}, token=False)
    assert status_of(error) == 401


def test_trusted_publisher_gets_a_token_for_its_repo() -> None:
    from huggingface_hub._oidc import exchange_oidc_token

    with LoopbackHub(publishers={"job": ("datasets/me/demo",)}) as hub:
        HfApi(endpoint=hub.endpoint, token=hub.token).create_repo(REPO, repo_type="dataset")
        ask = {"subject_token": "job", "endpoint": hub.endpoint}
        token = exchange_oidc_token(resource="datasets/me/demo", **ask)["access_token"]
        assert push(HfApi(endpoint=hub.endpoint, token=token), FILES)
        with pytest.raises(HfHubHTTPError) as error:
            exchange_oidc_token(resource="datasets/me/other", **ask)
        assert status_of(error) == 403


def test_request_log_counts_bytes_and_holds_no_token(hub: LoopbackHub, api: HfApi, filled: str) -> None:
    upload = next(seen for seen in hub.requests if seen.method == "PUT")
    assert (upload.received, upload.status, upload.account) == (len(PARQUET), 200, None)
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"{hub.endpoint}/nowhere?token={hub.token}")
    assert error.value.headers["Content-Type"].startswith("application/json")
    assert b'"error"' in error.value.read()
    error.value.close()
    last = hub.requests[-1]
    assert (last.path, last.status, last.account) == ("/nowhere?token=***", 404, None)
    assert [seen.number for seen in hub.requests] == list(range(1, len(hub.requests) + 1))
    assert hub.token not in repr(hub.requests)
    commit = next(seen for seen in hub.requests if "/commit/" in seen.path)
    assert commit.account == "me"
    assert commit.sent > 0
