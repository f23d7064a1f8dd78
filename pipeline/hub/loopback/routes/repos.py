"""Repos: created, described, changed, deleted."""

from __future__ import annotations

import re
from typing import Any

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.entries import show_sibling
from pipeline.hub.loopback.errors import HubError, bad_request, forbidden, repo_not_found
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.objects import Commit
from pipeline.hub.loopback.repository import Repository

_REPO_NAME = re.compile(r"(?!.*(?:--|\.\.))[A-Za-z0-9_][A-Za-z0-9._-]{0,94}(?<!\.git)(?<![.-])")


def create(call: Call) -> Response:
    """Create a dataset repo; one that exists is answered with 409 and its address."""
    repo_id, body = _named_in_body(call), call.json()
    _require_write(call, repo_id, "create")
    address = f"{call.state.endpoint}/datasets/{repo_id}"
    if repo_id in call.state.repositories:
        raise HubError(409, "You already created this dataset repo", fields={"url": address})
    # huggingface_hub < 1 sends "private", later ones "visibility".
    private = bool(body.get("private")) or body.get("visibility") == "private"
    call.state.repositories[repo_id] = Repository(repo_id, private=private)
    return json_response({"url": address, "name": repo_id, "id": repo_id})


def delete(call: Call) -> Response:
    """Delete a dataset repo with all its history."""
    repo_id = _named_in_body(call)
    if repo_id not in call.state.repositories:
        raise repo_not_found(anonymous=call.account is None)
    _require_write(call, repo_id, "delete")
    del call.state.repositories[repo_id]
    return json_response({})


def update_settings(call: Call) -> Response:
    """Make a repo private or public, gated or open."""
    repository, body = call.repository("write"), call.json()
    if body.get("gated", False) not in (False, "auto", "manual"):
        raise bad_request("gated must be false, auto or manual")
    repository.gated = body.get("gated", repository.gated)
    if "visibility" in body or "private" in body:
        repository.private = body.get("visibility") == "private" or bool(body.get("private"))
    return json_response({"private": repository.private, "gated": repository.gated})


def describe(call: Call) -> Response:
    """Describe a repo at a revision: its commit, its settings, its files."""
    repository = call.repository()
    return json_response(_describe(repository, call.commit(repository), blobs=call.request.flag("blobs")))


def _describe(repository: Repository, commit: Commit, *, blobs: bool) -> dict[str, Any]:
    return {
        "_id": repository.id,
        "id": repository.id,
        "author": repository.id.partition("/")[0],
        "sha": commit.oid,
        "createdAt": repository.created,
        "lastModified": commit.date,
        "private": repository.private,
        "gated": repository.gated,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        # The real Hub sends the card's metadata; the standard library reads no YAML.
        "cardData": None,
        "siblings": [show_sibling(path, entry, blobs=blobs) for path, entry in commit.tree.items()],
        "usedStorage": sum(len(content) for content in repository.large_files.values()),
    }


def _named_in_body(call: Call) -> str:
    if call.json().get("type") != "dataset":
        raise bad_request('The loopback Hub holds datasets only: "type" must be "dataset"')
    name = call.text("name")
    if not _REPO_NAME.fullmatch(name):
        raise bad_request(f"Invalid repo name {name!r}")
    return f"{call.json().get('organization') or call.user.name}/{name}"


def _require_write(call: Call, repo_id: str, verb: str) -> None:
    if not call.user.may_write(repo_id):
        namespace = repo_id.partition("/")[0]
        raise forbidden(f'You don\'t have the rights to {verb} a dataset under the namespace "{namespace}"')
