"""What a revision holds."""

from __future__ import annotations

from urllib.parse import parse_qs

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.entries import Listing
from pipeline.hub.loopback.errors import bad_request, entry_not_found
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.paging import page

_LONGEST_EXPANDED = 50
"""Entries on a page that names the last commit of each."""


def tree(call: Call) -> Response:
    """List a folder, or with ``recursive`` everything below it, in pages."""
    repository, expand = call.repository(), call.request.flag("expand")
    commit = call.commit(repository)
    listing, folder = Listing.of(repository, commit, expand=expand), call.values.get("path", "").strip("/")
    if folder not in listing.folders:
        raise entry_not_found(f"{folder} does not exist on {call.values['revision']!r}", commit.oid)
    paths = listing.inside(folder, recursive=call.request.flag("recursive"))
    return page(call, paths, listing.show, _LONGEST_EXPANDED if expand else None)


def paths_info(call: Call) -> Response:
    """Describe the files and folders that are asked for by path, leaving out what is not there."""
    repository = call.repository()
    paths, expand = _asked(call)
    listing = Listing.of(repository, call.commit(repository), expand=expand)
    return json_response([listing.show(path) for path in paths if path and path in listing])


def _asked(call: Call) -> tuple[list[str], bool]:
    if "json" in call.request.headers.get("content-type", ""):
        body = call.json()
        paths, expand = body.get("paths", []), str(body.get("expand"))
    else:
        form = parse_qs(call.request.body.decode(errors="replace"))
        paths, expand = form.get("paths", []), form.get("expand", [""])[0]
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise bad_request('"paths" must be a list of texts')
    return [path.strip("/") for path in paths], expand.lower() == "true"
