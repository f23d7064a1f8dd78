"""Branches, tags and the refs of pull requests."""

from __future__ import annotations

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.repository import MAIN


def list_refs(call: Call) -> Response:
    """List all refs with the commits they point at."""
    repository = call.repository()
    refs = {
        "branches": [_show(name, f"refs/heads/{name}", oid) for name, oid in repository.branches.items()],
        "tags": [_show(name, f"refs/tags/{name}", oid) for name, oid in repository.tags.items()],
        "converts": [],
    }
    if call.request.flag("include_prs"):
        pulls = repository.pull_requests.items()
        refs["pullRequests"] = [_show(str(number), f"refs/pr/{number}", oid) for number, oid in pulls]
    return json_response(refs)


def _show(name: str, ref: str, oid: str) -> dict[str, str]:
    return {"name": name, "ref": ref, "targetCommit": oid}


def create_tag(call: Call) -> Response:
    """Tag a revision."""
    call.repository("write").create_tag(call.text("tag"), call.values["revision"])
    return json_response({})


def delete_tag(call: Call) -> Response:
    """Remove a tag."""
    call.repository("write").delete_tag(call.values["tag"])
    return json_response({})


def create_branch(call: Call) -> Response:
    """Start a branch at ``startingPoint``, else at the head of main."""
    start = call.json().get("startingPoint") or MAIN
    call.repository("write").create_branch(call.values["branch"], str(start))
    return json_response({})


def delete_branch(call: Call) -> Response:
    """Remove a branch."""
    call.repository("write").delete_branch(call.values["branch"])
    return json_response({})
