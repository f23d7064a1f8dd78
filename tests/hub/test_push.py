"""Publishing: what one push does to a repo, and what a second one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from conftest import contents
from hub_accounts import OWNER, REPO
from huggingface_hub import CommitOperationAdd, HfApi
from tiny_releases import CARD, Tiny, run

from pipeline.errors import CannotRun, CheckFailed, UsageError
from pipeline.hub.client import LONGEST_WAIT
from pipeline.hub.loopback import Drop, Fail, LoopbackHub, Meanwhile
from pipeline.hub.plan import Plan
from pipeline.hub.publish import Push
from pipeline.hub.rehearsal.run import MOST_REQUESTS

NEXT_ROWS = ({"seed": 1, "text": "a"}, {"seed": 2, "text": "changed"})
pytest_plugins = ["hub_fixtures"]

BY_HAND = b"---\nlicense: mit\n---\nWritten by hand.\n"
Start = Callable[..., Push]


def head(hub: LoopbackHub, repo_id: str = REPO) -> str:
    return hub.repository(repo_id).branches["main"]


def tree(hub: LoopbackHub, repo_id: str = REPO) -> dict[str, bytes]:
    repository = hub.repository(repo_id)
    return {path: entry.content for path, entry in repository.resolve("main").tree.items()}


def put(api: HfApi, path: str, content: bytes) -> None:
    api.create_commit(REPO, [CommitOperationAdd(path, content)], commit_message="by hand", repo_type="dataset")


def commits(hub: LoopbackHub, repo_id: str = REPO) -> int:
    """How many commits there are beside the one that the Hub makes."""
    return len(hub.repository(repo_id).commits) - 1


def test_a_first_push_is_one_commit_and_one_tag(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    folder = tiny.write()
    outcome = run(push_to(folder))
    assert outcome.committed
    assert outcome.tagged
    assert commits(served) == 1
    assert served.repository(REPO).tags == {"v1.0.0": head(served)} == {"v1.0.0": outcome.commit}
    assert tree(served) == contents(folder)
    assert served.repository(REPO).resolve("main").title == "Release closebench 1.0.0"


def test_a_second_push_does_nothing(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    folder = tiny.write()
    before = run(push_to(folder)).commit
    served.forget_requests()
    outcome = run(push_to(folder))
    assert (outcome.committed, outcome.tagged, outcome.commit) == (False, False, before)
    assert commits(served) == 1
    assert len(served.requests) == 3 <= MOST_REQUESTS
    assert {request.method for request in served.requests} == {"GET"}


def test_a_missing_tag_is_made_once_the_head_verifies(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    folder = tiny.write()
    run(push_to(folder))
    api.delete_tag(REPO, tag="v1.0.0", repo_type="dataset")
    outcome = run(push_to(folder))
    assert (outcome.committed, outcome.tagged) == (False, True)
    assert served.repository(REPO).tags == {"v1.0.0": head(served)}
    assert commits(served) == 1


def shards(count: int) -> list[str]:
    """The paths of the Parquet files of a tiny release."""
    return [f"worlds/en-{shard:05d}-of-{count:05d}.parquet" for shard in range(count)]


def push_next(push_to: Start, tiny: Tiny) -> tuple[Plan, dict[str, bytes]]:
    """Push another version; return its plan and what the folder holds."""
    folder = tiny.write("two", version="2.0.0", rows=NEXT_ROWS)
    plan = push_to(folder).prepare()
    run(push_to(folder))
    return plan, contents(folder)


def test_other_files_stay_and_old_shards_go(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    run(push_to(tiny.write("one", shards=3)))
    put(api, "worlds/notes.txt", b"mine")
    plan, pushed = push_next(push_to, tiny)
    assert plan.kept == ("worlds/notes.txt",)
    assert plan.paths("delete") == shards(3)
    assert tree(served) == {**pushed, "worlds/notes.txt": b"mine"}
    assert commits(served) == 3


def test_without_a_manifest_on_the_hub_nothing_is_removed(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    put(api, "worlds/train-00000-of-00001.parquet", b"PAR1 of somebody")
    put(api, "README.md", BY_HAND)
    plan = push_to(tiny.write()).prepare()
    assert plan.kept == ("worlds/train-00000-of-00001.parquet",)
    assert plan.paths("delete") == []
    assert plan.paths("change") == [".gitattributes", "README.md"]


def test_a_damaged_manifest_on_the_hub_counts_as_none(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    run(push_to(tiny.write("one", shards=2)))
    put(api, "manifest.json", b"{")
    plan, pushed = push_next(push_to, tiny)
    assert plan.kept == tuple(shards(2))
    assert tree(served)["manifest.json"] == pushed["manifest.json"]


def test_a_card_stays_where_the_release_has_none(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    put(api, "README.md", BY_HAND)
    folder = tiny.write(card=None)
    run(push_to(folder))
    assert tree(served)["README.md"] == BY_HAND
    assert not run(push_to(folder)).committed


def test_a_card_edited_by_hand_is_shown_and_replaced(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    folder = tiny.write()
    first = run(push_to(folder)).commit
    put(api, "README.md", BY_HAND)
    plan = push_to(folder).prepare()
    (change,) = plan.changes
    assert (change.kind, change.path) == ("change", "README.md")
    assert change.old != change.new
    outcome = run(push_to(folder))
    assert tree(served)["README.md"] == CARD.encode()
    # The tag was on the same files all along.
    assert (outcome.committed, outcome.tagged, outcome.tag_commit) == (True, False, first)


def test_a_repo_is_created_on_request_only(served: LoopbackHub, push_to: Start, tiny: Tiny) -> None:
    folder = tiny.write()
    with pytest.raises(CannotRun, match="--create-repo"):
        run(push_to(folder))
    push = push_to(folder, create_repo=True, private=True)
    push.check_access()
    plan = push.prepare()
    assert (plan.parent, plan.paths("change", "delete")) == (None, [])
    assert "me/data" not in [request.path for request in served.requests if request.method == "POST"]
    push.carry_out(plan)
    assert served.repository(REPO).private
    assert run(push_to(folder, create_repo=True)).committed is False


def test_a_version_means_its_rows(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    run(push_to(tiny.write("one")))
    before = head(served)
    served.forget_requests()
    for options in ({}, {"rewrite": True}, {"create_pr": True}):
        with pytest.raises(CheckFailed, match="other rows of worlds/en.*bump the data version"):
            run(push_to(tiny.write("two", rows=NEXT_ROWS), **options))
    assert head(served) == before
    assert {request.method for request in served.requests} <= {"GET", "HEAD"}


def test_a_tag_on_something_else_is_found_while_planning(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    api.create_tag(REPO, tag="v1.0.0", repo_type="dataset")
    with pytest.raises(CheckFailed, match="holds no release"):
        run(push_to(tiny.write()))
    assert commits(served) == 0


def test_other_bytes_under_the_same_version_need_a_bump_or_a_word(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny
) -> None:
    tagged = run(push_to(tiny.write("one"))).commit
    folder = tiny.write("two", card=CARD + "More.\n")
    with pytest.raises(UsageError, match="PATCH"):
        run(push_to(folder))
    outcome = run(push_to(folder, rewrite=True))
    assert (outcome.committed, outcome.tagged, outcome.tag_commit) == (True, False, tagged)
    again = run(push_to(folder))
    assert (again.committed, again.tag_commit) == (False, tagged)


@pytest.mark.parametrize("tagged", [True, False])
def test_parquet_of_another_pyarrow_is_no_news(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny, tagged: bool
) -> None:
    run(push_to(tiny.write("one", pyarrow="25.0.0")))
    if not tagged:
        api.delete_tag(REPO, tag="v1.0.0", repo_type="dataset")
    folder = tiny.write("two", pyarrow="26.0.1")
    with pytest.raises(UsageError, match=r"pyarrow 25.0.0 there, 26.0.1 here.*--rewrite"):
        run(push_to(folder))
    assert commits(served) == 1
    assert run(push_to(folder, rewrite=True)).committed
    assert tree(served) == contents(folder)


def test_going_back_needs_a_word(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    first = tiny.write("one")
    tagged = run(push_to(first)).commit
    run(push_to(tiny.write("two", version="1.10.0", rows=NEXT_ROWS)))
    with pytest.raises(UsageError, match=r"1\.10\.0, which is newer than 1\.0\.0"):
        run(push_to(first))
    assert run(push_to(first, rewrite=True)).tag_commit == tagged
    assert tree(served) == contents(first)


def test_a_family_does_not_replace_another(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    run(push_to(tiny.write("one")))
    with pytest.raises(UsageError, match="a repo of its own"):
        run(push_to(tiny.write("two", family="another"), rewrite=True))


def test_a_large_text_that_the_hub_would_store_otherwise_stops_the_plan(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny
) -> None:
    folder = tiny.write(rows=[{"seed": 1, "text": "x" * 10_000_001}])
    with pytest.raises(CheckFailed, match=r"data/worlds-en.jsonl has 10,0.*--formats parquet"):
        run(push_to(folder))
    assert commits(served) == 0


def test_a_large_file_of_somebody_else_that_would_change_gitattributes_stops_the_plan(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    put(api, "theirs.blob", b"\0binary")
    put(api, "theirs.parquet", b"PAR1 covered")
    before = head(served)
    with pytest.raises(CannotRun, match=r"holds theirs\.blob, a large file that \.gitattributes"):
        run(push_to(tiny.write()))
    assert head(served) == before


def test_a_changed_folder_is_not_pushed(repo: str, push_to: Start, tiny: Tiny) -> None:
    folder = tiny.write()
    (folder / "data/worlds-en.jsonl").write_bytes(b"{}\n")
    with pytest.raises(CheckFailed, match="not the file that the manifest lists"):
        run(push_to(folder))


def test_a_pull_request_is_never_tagged_and_proposed_once(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny
) -> None:
    folder = tiny.write()
    before = head(served)
    first = run(push_to(folder, create_pr=True))
    assert first.pull_request == f"{served.endpoint}/datasets/me/data/discussions/1"
    assert (first.committed, first.tagged, first.tag) == (True, False, None)
    served.forget_requests()
    again = run(push_to(folder, create_pr=True))
    assert (again.committed, again.pull_request) == (False, first.pull_request)
    assert len(served.requests) <= MOST_REQUESTS
    assert (head(served), served.repository(REPO).tags, list(served.repository(REPO).pull_requests)) == (
        before,
        {},
        [1],
    )


@pytest.mark.parametrize("fault", [Drop(after_effect=True), Fail(500, after_effect=True)])
def test_a_pull_request_whose_answer_is_lost_is_not_opened_twice(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, fault: object
) -> None:
    served.faults.add(fault, method="POST", path="/commit/")
    outcome = run(push_to(tiny.write(), create_pr=True))
    assert outcome.pull_request.endswith("/discussions/1")
    assert list(served.repository(REPO).pull_requests) == [1]


def test_a_stale_parent_is_no_harm_where_nobody_touched_the_release(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    served.faults.add(Meanwhile(lambda: put(api, "notes.txt", b"1")), method="POST", path="/commit/")
    folder = tiny.write()
    outcome = run(push_to(folder))
    assert tree(served) == {**contents(folder), "notes.txt": b"1"}
    assert served.repository(REPO).tags == {"v1.0.0": outcome.commit}
    assert [request.status for request in served.requests if "/commit/" in request.path] == [412, 200, 200]


def test_a_managed_file_changed_meanwhile_stops_the_push(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    run(push_to(tiny.write("one")))
    served.faults.add(Meanwhile(lambda: put(api, "README.md", BY_HAND)), method="POST", path="/commit/")
    with pytest.raises(CannotRun, match=r"somebody else changed README\.md"):
        run(push_to(tiny.write("two", version="2.0.0", rows=NEXT_ROWS)))
    assert tree(served)["README.md"] == BY_HAND
    assert list(served.repository(REPO).tags) == ["v1.0.0"]


@pytest.mark.parametrize("status", [409, 412])
def test_a_conflict_that_does_not_end_ends_the_push(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, naps: list[float], status: int
) -> None:
    served.faults.add(Fail(status), method="POST", path="/commit/", times=None)
    with pytest.raises(CannotRun, match="changed by somebody else"):
        run(push_to(tiny.write()))
    assert len([request for request in served.requests if "/commit/" in request.path]) == 4
    assert naps == [1, 3, 9]
    assert commits(served) == 0


def test_the_pause_that_the_hub_asks_for_is_made(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, naps: list[float]
) -> None:
    served.faults.add(Fail(429, {"Retry-After": "7"}), method="POST", path="/commit/")
    assert run(push_to(tiny.write())).tagged
    assert naps == [7]


def test_a_pause_of_an_hour_is_left_to_people(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, naps: list[float]
) -> None:
    served.faults.add(Fail(429, {"Retry-After": str(int(LONGEST_WAIT) + 1)}), method="POST", path="/commit/")
    with pytest.raises(CannotRun, match="run the same command again in 301 s"):
        run(push_to(tiny.write()))
    assert naps == []


@pytest.mark.parametrize("fault", [Fail(500, after_effect=True), Fail(504, after_effect=True), Drop(after_effect=True)])
def test_a_commit_whose_answer_is_lost_is_not_made_twice(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny, fault: object
) -> None:
    served.faults.add(fault, method="POST", path="/commit/")
    assert run(push_to(tiny.write())).tagged
    assert len([request for request in served.requests if "/commit/" in request.path]) == 1
    assert commits(served) == 1


def corrupt(hub: LoopbackHub, path: str = "data/worlds-en.jsonl") -> None:
    """Let the Hub serve other bytes than it lists, as many."""
    commit = hub.repository(REPO).resolve("main")
    entry = commit.tree[path]
    damaged = entry.content[:-3] + b"!" + entry.content[-2:]
    commit.tree[path] = replace(entry, content=damaged)  # type: ignore[index]


def test_what_is_served_wrongly_gets_no_tag(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    before = head(served)
    served.faults.add(Meanwhile(lambda: corrupt(served), after_effect=True), method="POST", path="/commit/")
    folder = tiny.write()
    with pytest.raises(CheckFailed) as failure:
        run(push_to(folder))
    assert "data/worlds-en.jsonl is served in other bytes than listed; no tag was made; to go back: hf " in str(
        failure.value
    )
    assert before in str(failure.value)
    assert served.repository(REPO).tags == {}
    with pytest.raises(CheckFailed, match="restore an earlier commit"):
        run(push_to(folder))  # the head is not tagged either
    assert served.repository(REPO).tags == {}


def test_a_card_that_the_hub_refuses_is_said_before_any_commit(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny
) -> None:
    with pytest.raises(CheckFailed, match="refuses the metadata of README.md.*tab"):
        run(push_to(tiny.write(card="---\n\tlicense: mit\n---\n")))
    assert commits(served) == 0


def test_the_same_release_pushed_twice_at_once_is_one_commit(
    served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny
) -> None:
    folder = tiny.write()
    rival = push_to(folder)
    served.faults.add(Meanwhile(lambda: run(rival)), method="POST", path="/commit/")
    outcome = run(push_to(folder))
    assert commits(served) == 1
    assert served.repository(REPO).tags == {"v1.0.0": outcome.commit}


def test_a_rival_that_tags_first_is_no_harm(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    def tag() -> None:
        api.create_tag(REPO, tag="v1.0.0", repo_type="dataset")

    served.faults.add(Meanwhile(tag), method="POST", path="/tag/")
    assert run(push_to(tiny.write())).tag_commit == head(served)


def test_a_tag_that_appears_on_something_else_is_an_error(
    served: LoopbackHub, api: HfApi, repo: str, push_to: Start, tiny: Tiny
) -> None:
    first = head(served)

    def tag() -> None:
        api.create_tag(REPO, tag="v1.0.0", revision=first, repo_type="dataset")

    served.faults.add(Meanwhile(tag), method="POST", path="/tag/")
    with pytest.raises(CannotRun, match="somebody else put the tag v1.0.0"):
        run(push_to(tiny.write()))


def test_of_two_releases_that_race_one_gets_in(served: LoopbackHub, repo: str, push_to: Start, tiny: Tiny) -> None:
    one, two = tiny.write("one"), tiny.write("two", version="2.0.0", rows=NEXT_ROWS)
    rival = push_to(two)
    served.faults.add(Meanwhile(lambda: run(rival)), method="POST", path="/commit/")
    with pytest.raises(CannotRun, match="somebody else changed"):
        run(push_to(one))
    assert tree(served) == contents(two)
    assert served.repository(REPO).tags == {"v2.0.0": head(served)}
    assert OWNER not in json.dumps([request.path for request in served.requests])
