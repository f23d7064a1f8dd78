"""The protocol table: which function answers which method and path.

Paths are matched as they were sent, before percent-decoding: a revision or a folder is one segment, whatever
slashes are in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import HubError, repo_not_found
from pipeline.hub.loopback.messages import Response
from pipeline.hub.loopback.routes import accounts, commits, discussions, downloads, listings, refs, repos, uploads

Handler = Callable[[Call], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table."""

    method: str
    pattern: re.Pattern[str]
    handler: Handler


def _no_such_repo(call: Call) -> Response:
    # What a client asks for when its user forgets repo_type="dataset" or the namespace.
    raise repo_not_found(anonymous=call.account is None)


_PARTS = {
    "REPO": r"(?P<namespace>[^/]+)/(?P<name>[^/]+?)",
    # People type refs/pr/1 into an address as it stands; the clients encode it.
    "REVISION": r"(?P<revision>refs/[^/]+/[^/]+|[^/]+)",
    "BRANCH": r"(?P<branch>[^/]+)",
    "TAG": r"(?P<tag>[^/]+)",
    "NUMBER": r"(?P<number>[0-9]+)",
    "OID": r"(?P<oid>[0-9a-f]{64})",
    "PATH": r"(?P<path>.+)",
}


def _route(method: str, template: str, handler: Handler) -> Route:
    pattern = re.sub(r"\b[A-Z]+\b", lambda match: _PARTS[match[0]], template)
    return Route(method, re.compile(pattern), handler)


ROUTES = (
    _route("GET", "/api/whoami-v2", accounts.whoami),
    _route("POST", "/oauth/token", accounts.exchange),
    _route("GET", "/api/datasets/REPO/auth-check", accounts.check_read),
    _route("GET", "/api/datasets/REPO/auth-check/write", accounts.check_write),
    _route("POST", "/api/repos/create", repos.create),
    _route("DELETE", "/api/repos/delete", repos.delete),
    _route("PUT", "/api/datasets/REPO/settings", repos.update_settings),
    _route("GET", "/api/datasets/REPO", repos.describe),
    _route("GET", "/api/datasets/REPO/revision/REVISION", repos.describe),
    _route("POST", "/api/validate-yaml", uploads.validate_card),
    _route("POST", "/api/datasets/REPO/preupload/REVISION", uploads.preupload),
    _route("POST", r"/datasets/REPO\.git/info/lfs/objects/batch", uploads.lfs_batch),
    _route("PUT", "/lfs/REPO/OID", uploads.lfs_upload),
    _route("POST", "/lfs/REPO/verify", uploads.lfs_verify),
    _route("POST", "/api/datasets/REPO/commit/REVISION", commits.commit),
    _route("GET", "/api/datasets/REPO/commits/REVISION", commits.history),
    _route("GET", "/api/datasets/REPO/refs", refs.list_refs),
    _route("POST", "/api/datasets/REPO/tag/REVISION", refs.create_tag),
    _route("DELETE", "/api/datasets/REPO/tag/TAG", refs.delete_tag),
    _route("POST", "/api/datasets/REPO/branch/BRANCH", refs.create_branch),
    _route("DELETE", "/api/datasets/REPO/branch/BRANCH", refs.delete_branch),
    _route("GET", "/api/datasets/REPO/discussions", discussions.list_all),
    _route("POST", "/api/datasets/REPO/discussions", discussions.create),
    _route("GET", "/api/datasets/REPO/discussions/NUMBER", discussions.show),
    _route("GET", "/api/datasets/REPO/tree/REVISION", listings.tree),
    _route("GET", "/api/datasets/REPO/tree/REVISION/PATH", listings.tree),
    _route("POST", "/api/datasets/REPO/paths-info/REVISION", listings.paths_info),
    _route("GET", "/datasets/REPO/resolve/REVISION/PATH", downloads.resolve),
    _route("GET", "/api/datasets/[^/]+", _no_such_repo),
    _route("GET", "/api/(?:models|spaces)/REPO(?:/.*)?", _no_such_repo),
    _route("GET", "/REPO/resolve/REVISION/PATH", _no_such_repo),
)


def find_route(method: str, path: str) -> tuple[Handler, dict[str, str]]:
    """Return the function that answers, and the named parts of the path, decoded.

    Raises:
        HubError: 404 for anything that is not in the table.
    """
    asked = "GET" if method == "HEAD" else method
    for route in ROUTES:
        match = route.pattern.fullmatch(path)
        if match and route.method == asked:
            return route.handler, {name: unquote(value) for name, value in match.groupdict().items() if value}
    raise HubError(404, f"The loopback Hub has no {method} {path}")
