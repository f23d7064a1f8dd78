"""What the real client makes of each kind of fault, before and after the effect."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, HfApi, close_session, constants
from huggingface_hub.errors import HfHubHTTPError

from pipeline.hub.loopback import Delay, Drop, Fail, Fault, LoopbackHub, Meanwhile, Truncate
from pipeline.hub.loopback.faults import Delivery, Faults, Pause, Respond, Rule

REPO = "me/demo"
COMMIT = "/commit/main"


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as hub:
        yield hub


@pytest.fixture
def api(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> Iterator[HfApi]:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    close_session()
    api = HfApi(endpoint=hub.endpoint, token=hub.token)
    api.create_repo(REPO, repo_type="dataset")
    yield api
    close_session()


def push(api: HfApi, content: bytes, **options: object) -> str:
    adds = [CommitOperationAdd("a.txt", content)]
    return api.create_commit(REPO, adds, commit_message="push", repo_type="dataset", **options).oid


def head(hub: LoopbackHub) -> str:
    return hub.repository(REPO).branches["main"]


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("kind", [Fail, Drop])
def test_lost_commit_has_its_effect_or_not(hub: LoopbackHub, api: HfApi, kind: type, after_effect: bool) -> None:
    before = head(hub)
    hub.faults.add(kind(after_effect=after_effect), method="POST", path=COMMIT)
    with pytest.raises((HfHubHTTPError, httpx2.RemoteProtocolError)):
        push(api, b"1")
    assert (head(hub) != before) is after_effect
    lost = hub.requests[-1]
    assert (lost.fault, lost.status) == (kind.__name__, 500 if kind is Fail else None)
    # The rerun completes it, without a second commit where the first one landed.
    assert push(api, b"1") == head(hub)
    assert len(hub.repository(REPO).commits) == 2


def test_fail_sends_its_status_headers_and_body(hub: LoopbackHub, api: HfApi) -> None:
    hub.faults.add(Fail(429, {"Retry-After": "7"}, b'{"error":"slow down"}'), path=COMMIT)
    with pytest.raises(HfHubHTTPError) as error:
        push(api, b"1")
    response = error.value.response
    assert (response.status_code, response.headers["Retry-After"]) == (429, "7")
    assert response.json() == {"error": "slow down"}


def test_truncated_body(hub: LoopbackHub, api: HfApi) -> None:
    before = head(hub)
    hub.faults.add(Truncate(keep=5), path=COMMIT)
    with pytest.raises(httpx2.RemoteProtocolError):
        push(api, b"1")
    assert head(hub) != before
    assert (hub.requests[-1].status, hub.requests[-1].sent) == (200, 5)


def test_truncated_download_is_completed(hub: LoopbackHub, api: HfApi, tmp_path: Path) -> None:
    content = b"0123456789" * 1000
    push(api, content)
    hub.faults.add(Truncate(keep=100), method="GET", path="/resolve/")
    path = api.hf_hub_download(REPO, "a.txt", repo_type="dataset", cache_dir=tmp_path)
    assert Path(path).read_bytes() == content
    assert [seen.sent for seen in hub.requests if seen.method == "GET" and "/resolve/" in seen.path] == [100, 10_000]


@pytest.mark.parametrize("after_effect", [False, True])
def test_delayed_answer_is_right(hub: LoopbackHub, api: HfApi, after_effect: bool) -> None:
    hub.faults.add(Delay(0.01, after_effect), path=COMMIT)
    assert push(api, b"1") == head(hub)
    assert hub.requests[-1].fault == "Delay"


def test_delay_ends_when_the_hub_closes() -> None:
    reached = threading.Event()

    class Hour:
        def deliver(self, respond: Respond, pause: Pause) -> Delivery:
            reached.set()
            return Delay(3600).deliver(respond, pause)

    with LoopbackHub() as hub:
        hub.faults.add(Hour())
        connection = http.client.HTTPConnection(hub.endpoint.removeprefix("http://"))
        connection.request("GET", "/api/whoami-v2")
        reached.wait()
    connection.close()
    assert hub.requests[-1].fault == "Hour"


def test_rival_commit_meanwhile_makes_the_parent_stale(hub: LoopbackHub, api: HfApi) -> None:
    before = head(hub)
    rival = HfApi(endpoint=hub.endpoint, token=hub.token)
    hub.faults.add(Meanwhile(lambda: push(rival, b"rival")), path=COMMIT)
    with pytest.raises(HfHubHTTPError) as error:
        push(api, b"mine", parent_commit=before)
    assert error.value.response.status_code == 412
    assert hub.repository(REPO).resolve("main").tree["a.txt"].content == b"rival"


def test_nth_and_times() -> None:
    faults = Faults()
    faults.add(Drop(), method="GET", path="/tree/", nth=2, times=2)
    asked = [("GET", "/tree/a"), ("POST", "/tree/a"), ("GET", "/info"), *[("GET", "/tree/a")] * 3]
    hits = [faults.next(method, path) is not None for method, path in asked]
    assert hits == [False, False, False, True, True, False]


def test_persistent_rule_hits_until_cleared(hub: LoopbackHub, api: HfApi) -> None:
    hub.faults.add(Fail(503), path=COMMIT, times=None)
    for _ in range(3):
        with pytest.raises(HfHubHTTPError):
            push(api, b"1")
    hub.faults.clear()
    assert push(api, b"1") == head(hub)


def test_first_rule_that_hits_wins_and_all_that_fit_count() -> None:
    faults, first, second = Faults(), Fail(500), Fail(503)
    faults.add(first)
    faults.add(second, nth=2)
    got: list[Fault | None] = [faults.next("GET", "/") for _ in range(3)]
    assert got == [first, second, None]


def test_rule_sees_the_query() -> None:
    assert Rule(Drop(), path=r"create_pr=1").fits("POST", "/commit/main?create_pr=1")
