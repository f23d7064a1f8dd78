"""The errors of the protocol: a status, and the headers by which the clients tell them apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.hub.loopback.messages import Response, json_response


class HubError(Exception):
    """A request that the Hub turns down."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Describe the refusal.

        Args:
            status: HTTP status.
            message: sent in the body and in ``X-Error-Message``.
            code: sent in ``X-Error-Code``; it alone decides which exception the client raises.
            headers: more headers.
            fields: more keys of the JSON body.
        """
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})
        self.fields = dict(fields or {})

    def response(self) -> Response:
        """Render the error as the Hub does."""
        # A header takes one line of ASCII; paths and tags may hold anything.
        line = " ".join(self.message.split()).encode("ascii", "backslashreplace").decode()
        headers = {**self.headers, "X-Error-Message": line}
        if self.code:
            headers["X-Error-Code"] = self.code
        return json_response({"error": self.message, **self.fields}, self.status, headers)


def bad_request(message: str) -> HubError:
    """400: the request makes no sense."""
    return HubError(400, message)


def bad_token() -> HubError:
    """401 for a token that nobody has; the client knows this message and does not blame the repo."""
    return HubError(401, "Invalid credentials in Authorization header")


def forbidden(message: str) -> HubError:
    """403: the account is known and may not do this."""
    return HubError(403, message)


def repo_not_found(anonymous: bool) -> HubError:
    """404, or 401 for a caller without a token, for whom absent and private look the same.

    The code is sent in both cases: without it the clients recognise a 401 on https addresses only.
    """
    return HubError(401 if anonymous else 404, "Repository not found", "RepoNotFound")


def revision_not_found(revision: str) -> HubError:
    """404: no such branch, tag, pull request or commit."""
    return HubError(404, f"Invalid rev id: {revision}", "RevisionNotFound")


def entry_not_found(message: str, commit: str) -> HubError:
    """404: the revision holds no such file or folder. Clients cache that for the commit named here."""
    return HubError(404, message, "EntryNotFound", headers={"X-Repo-Commit": commit})


def gated(anonymous: bool, repo_id: str) -> HubError:
    """401 or 403: the files are behind terms that the account has not accepted."""
    message = f"Access to dataset {repo_id} is restricted. You must have access to it and be authenticated."
    return HubError(401 if anonymous else 403, message, "GatedRepo")
