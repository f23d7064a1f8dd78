"""What the Hub's client raises, turned into one line with the next step. No line ever holds a token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.errors import CannotRun, CheckFailed, PipelineError
from pipeline.text import printable

_TRANSIENT = (408, 425, 429, 500, 502, 503, 504)
_CONFLICTS = (409, 412)
_REPEATED = ("/preupload/", "/info/lfs/", "/tree/")
_SHOWN = 300  # characters of what the Hub says


class RepoMissing(CannotRun):
    """The repo is absent, misspelt, or hidden from this token."""


class RevisionMissing(CannotRun):
    """The repo has no such branch, tag or commit."""


class FileMissing(CannotRun):
    """The revision has no such file."""


class Conflict(CannotRun):
    """Somebody changed the repo first."""


class Unavailable(CannotRun):
    """The Hub did not answer, or asks for patience: whether the request had its effect is not known.

    Attributes:
        retry_after: seconds that the Hub asks to wait; None if it does not say.
        connected: whether there was a connection at all.
        repeated: whether the client has repeated the request itself before it gave up.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, connected: bool = True, repeated: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.connected = connected
        self.repeated = repeated


def explain(error: Exception, repo_id: str, endpoint: str, token: str | None) -> PipelineError:
    """Translate an exception of huggingface_hub or of its HTTP library.

    Args:
        error: what was raised.
        repo_id: the repo that it was about.
        endpoint: address of the Hub.
        token: never to be shown, wherever it stands.

    Returns:
        The error to raise; its kind says what can be done.
    """
    if isinstance(error, PipelineError):
        return error
    if isinstance(error, ValueError) and "Invalid metadata in README.md" in str(error):
        said = _scrub(str(error).partition("\n")[2], token)
        return CheckFailed(f"the Hub refuses the metadata of README.md: {said}; mend the card and build again")
    cause = next((link for link in _chain(error) if _response(link) is not None), None)
    response = _response(cause)
    if cause is not None and response is not None:
        said = _scrub(getattr(cause, "server_message", None) or "", token)
        return _refused(cause, response, said, repo_id, endpoint)
    return _unanswered(error, repo_id, endpoint, token)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and what it was raised from: uploads wrap the answer of the Hub."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _response(error: BaseException | None) -> Any:
    from huggingface_hub.errors import HfHubHTTPError

    return error.response if isinstance(error, HfHubHTTPError) else None


def _request(error: BaseException) -> Any:
    try:
        return getattr(error, "request", None)
    except RuntimeError:  # httpx knows of none
        return None


def _is_repeated(request: Any) -> bool:
    """Tell whether the client repeats such a request by itself, with pauses of some 23 seconds altogether."""
    if request is None:
        return False
    return request.method in ("HEAD", "PUT") or any(part in request.url.path for part in _REPEATED)


def _scrub(text: str, token: str | None) -> str:
    line = printable(" ".join((text.replace(token, "***") if token else text).split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def _refused(error: BaseException, response: Any, said: str, repo_id: str, endpoint: str) -> PipelineError:
    """Word an answer that is an error."""
    from huggingface_hub.errors import (
        GatedRepoError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    status, page = response.status_code, f"{endpoint}/datasets/{repo_id}"
    says = f" (the Hub says: {said})" if said else ""
    if isinstance(error, GatedRepoError):
        return CannotRun(f"{repo_id} is gated: ask for access at {page} with the account of your token, then run again")
    if isinstance(error, RepositoryNotFoundError):
        return RepoMissing(
            f"the Hub shows no dataset {repo_id} to you: it is absent, misspelt or private; check the name and the "
            "account (hf auth whoami)"
        )
    if isinstance(error, RevisionNotFoundError):
        return RevisionMissing(f"{repo_id} has no such revision; its branches and tags are listed at {page}/tree/main")
    if isinstance(error, RemoteEntryNotFoundError):
        return FileMissing(f"{repo_id} lacks a file that was asked for{says}; look at {page}/tree/main and run again")
    if status in _CONFLICTS:
        return Conflict(f"{repo_id} was changed by somebody else meanwhile{says}; look at it and run again")
    if status in _TRANSIENT or status >= 500:
        return _overloaded(response, says, repo_id)
    if status == 401:
        return CannotRun(f"the Hub does not accept the token{says}; log in again (hf auth login) or renew HF_TOKEN")
    if status == 403:
        return CannotRun(
            f"the token may not do this to {repo_id}{says}; use one with write access to that repo (hf auth login), "
            "or propose the change with --create-pr"
        )
    if "LFS pointer pointed to a file that does not exist" in said:
        return CannotRun(
            f"the Hub lost track of an uploaded file of {repo_id}, as it does after a repo was deleted and made again; "
            "run again with HF_HUB_DISABLE_XET=1, or use another name"
        )
    return CannotRun(f"the Hub refused a request on {repo_id} with status {status}{says}; mend that and run again")


def _overloaded(response: Any, says: str, repo_id: str) -> Unavailable:
    status, wait = response.status_code, _retry_after(response.headers)
    patience = f" in {wait:.0f} s" if wait else " later"
    what = "asks for fewer requests" if status == 429 else f"answers with status {status}"
    return Unavailable(
        f"the Hub {what}{says} for {repo_id}; run the same command again{patience}: it goes on where it stopped",
        retry_after=wait,
        repeated=_is_repeated(response.request),
    )


def _retry_after(headers: Any) -> float | None:
    from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]

    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds) + 1
    text = headers.get("Retry-After", "").strip()
    return float(text) if text.isdigit() else None


def _unanswered(error: Exception, repo_id: str, endpoint: str, token: str | None) -> PipelineError:
    """Word what happened without an answer, or with one that the client could not read."""
    from huggingface_hub.errors import LocalEntryNotFoundError, OfflineModeIsEnabled, OIDCError

    said = _scrub(str(error), token)
    links = list(_chain(error))
    if any(isinstance(link, OfflineModeIsEnabled) for link in links):
        return CannotRun("HF_HUB_OFFLINE is set, so the Hub cannot be asked; unset it and run again")
    if isinstance(error, OIDCError):
        return CannotRun(f"the CI job got no token from the Hub ({said}); see docs/publishing.md on trusted publishers")
    names = [type(link).__name__ for link in links if type(link).__module__.partition(".")[0] in ("httpx", "httpx2")]
    if names or isinstance(error, LocalEntryNotFoundError):
        return Unavailable(
            f"the Hub at {endpoint} cannot be reached ({names[0] if names else 'no answer'}); check the connection, "
            "HF_ENDPOINT and the proxy, then run the same command again",
            connected="ConnectError" not in names,
            repeated=any(_is_repeated(_request(link)) for link in links),
        )
    if isinstance(error, ValueError) and type(error).__name__ == "JSONDecodeError":
        return Unavailable(f"{endpoint} answers, but not as a Hub does; check HF_ENDPOINT and the proxy, and run again")
    return CannotRun(
        f"the transfer to or from {repo_id} failed ({type(error).__name__}: {said}); run the same command again, "
        "it goes on where it stopped; if it fails again, set HF_HUB_DISABLE_XET=1"
    )
