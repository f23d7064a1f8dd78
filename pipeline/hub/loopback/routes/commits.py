"""Commits: one made, many listed."""

from __future__ import annotations

from typing import Any

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.objects import Commit
from pipeline.hub.loopback.operations import parse_change
from pipeline.hub.loopback.paging import page


def commit(call: Call) -> Response:
    """Apply all operations as one commit, on the revision or with ``create_pr`` on a new pull request against it."""
    proposing = call.request.flag("create_pr")
    repository = call.repository("propose" if proposing else "write")
    change, revision, author = parse_change(call.request.body), call.values["revision"], call.user.name
    if not proposing:
        return _made(call, repository.commit(revision, change, author))
    made, discussion = repository.propose(revision, change, author)
    return _made(call, made, pullRequestUrl=f"{call.state.address(repository)}/discussions/{discussion.number}")


def _made(call: Call, made: Commit, **more: str) -> Response:
    address = f"{call.state.endpoint}/datasets/{call.repo_id}/commit/{made.oid}"
    return json_response({"success": True, "commitOid": made.oid, "commitUrl": address, "hookOutput": "", **more})


def history(call: Call) -> Response:
    """List the commits of a revision, newest first."""
    repository = call.repository()
    return page(call, list(repository.history(call.commit(repository))), _show)


def _show(commit: Commit) -> dict[str, Any]:
    authors = [{"user": commit.author}]
    return {"id": commit.oid, "title": commit.title, "message": commit.message, "date": commit.date, "authors": authors}
