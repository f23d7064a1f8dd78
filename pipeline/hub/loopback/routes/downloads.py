"""The bytes of a file, whole or in part."""

from __future__ import annotations

import re

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import HubError, entry_not_found, gated
from pipeline.hub.loopback.messages import Response
from pipeline.hub.loopback.objects import Entry

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def resolve(call: Call) -> Response:
    """Send a file, LFS or not, from here: the clients accept that as well as a redirect to another host."""
    repository = call.repository()
    if not call.may_download(repository):
        raise gated(call.account is None, repository.id)
    commit = call.commit(repository)
    entry = commit.tree.get(call.values["path"])
    if entry is None:
        raise entry_not_found("Entry not found", commit.oid)
    headers = {**_headers(entry), "X-Repo-Commit": commit.oid}
    return _send(entry.content, headers, call.request.headers.get("range"))


def _headers(entry: Entry) -> dict[str, str]:
    headers = {
        "ETag": f'"{entry.content_id}"',
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream" if entry.sha256 else "text/plain; charset=utf-8",
    }
    if entry.sha256:
        headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
    return headers


def _send(content: bytes, headers: dict[str, str], asked: str | None) -> Response:
    match = _RANGE.fullmatch(asked or "")
    # A range that makes no sense, or several, may be ignored.
    if match is None or not any(match.groups()):
        return Response(200, headers, content)
    size = len(content)
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if start >= stop:
        raise HubError(416, "Requested range not satisfiable", headers={"Content-Range": f"bytes */{size}"})
    return Response(206, {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{size}"}, content[start:stop])
