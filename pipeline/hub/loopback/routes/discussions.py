"""Discussions and pull requests."""

from __future__ import annotations

from typing import Any

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import HubError
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.repository import MAIN, Discussion, Repository


def create(call: Call) -> Response:
    """Open a discussion or, with ``pullRequest``, a draft pull request without changes."""
    repository, body = call.repository("propose"), call.json()
    base = MAIN if body.get("pullRequest") else None
    text = str(body.get("description") or "")
    opened = repository.open_discussion(call.text("title"), text, call.user.name, base=base, draft=base is not None)
    return json_response({"num": opened.number, "pullRequest": base is not None})


def list_all(call: Call) -> Response:
    """List all discussions, newest first, on one page."""
    repository = call.repository()
    shown = [_show(repository, discussion) for discussion in reversed(repository.discussions)]
    return json_response({"discussions": shown, "count": len(shown), "start": 0})


def show(call: Call) -> Response:
    """Describe one discussion."""
    repository, number = call.repository(), int(call.values["number"])
    if not 0 < number <= len(repository.discussions):
        raise HubError(404, f"There is no discussion {number}")
    discussion = repository.discussions[number - 1]
    changes = {"base": f"refs/heads/{discussion.base}"} if discussion.base else {}
    more = {"changes": changes, "filesWithConflicts": [], "events": []}
    return json_response({**_show(repository, discussion), **more})


def _show(repository: Repository, discussion: Discussion) -> dict[str, Any]:
    return {
        "title": discussion.title,
        "num": discussion.number,
        "status": discussion.status,
        "createdAt": discussion.date,
        "author": {"name": discussion.author},
        "isPullRequest": discussion.base is not None,
        "repo": {"name": repository.id, "type": "dataset"},
    }
