"""The one place that talks to ``huggingface_hub``: tokens, patience, and errors as lines with a next step."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pipeline.errors import CannotRun, PipelineError, UsageError
from pipeline.hub.content import FileId
from pipeline.hub.failures import Conflict, Unavailable, explain
from pipeline.text import printable

if TYPE_CHECKING:
    from huggingface_hub import HfApi

MAIN = "main"
PATIENCE = (1.0, 3.0, 9.0)
"""Seconds between the attempts at a request that the client itself sends once only."""
LONGEST_WAIT = 300.0
"""Seconds; a Hub that asks for more gets no second attempt, for whoever waits should know."""

_TIMEOUT = 60.0  # seconds without a byte; the client would wait for ever
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Refs:
    """Where the names of a repo point.

    Attributes:
        head: the commit of main.
        tags: commit by tag.
        pull_requests: commit by number.
    """

    head: str
    tags: Mapping[str, str]
    pull_requests: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that the Hub has confirmed.

    Attributes:
        commit: its hash.
        pull_request: address of the pull request that it is on; None on main.
    """

    commit: str
    pull_request: str | None = None


class Hub:
    """The dataset repos of one Hub, seen with one token."""

    def __init__(self, api: HfApi, token: str | None, sleep: Callable[[float], object] | None = None) -> None:
        """Wrap a client; use `connect`.

        Args:
            api: the client, bound to an address and the token.
            token: kept to strike it out of messages.
            sleep: waits for some seconds.
        """
        self._api, self._token, self._sleep = api, token, sleep or time.sleep
        self._reached = False

    @property
    def endpoint(self) -> str:
        """The address of the Hub."""
        return self._api.endpoint

    def page(self, repo_id: str) -> str:
        """Return the address of a repo for people."""
        return f"{self.endpoint}/datasets/{repo_id}"

    def require_write(self, repo_id: str) -> None:
        """Check with one request that commits to a repo would be accepted.

        Raises:
            RepoMissing: there is no such repo to be seen.
            CannotRun: no token, or one that may not write.
        """
        self.require_token()
        self._read(repo_id, lambda: self._api.auth_check(repo_id, repo_type="dataset", write=True))

    def require_read(self, repo_id: str) -> None:
        """Check with one request that the files of a repo may be read with this token.

        Raises:
            RepoMissing: there is no such repo to be seen.
            CannotRun: it is gated, or the token is not accepted.
        """
        self._read(repo_id, lambda: self._api.auth_check(repo_id, repo_type="dataset"))

    def require_token(self) -> None:
        """Fail without a token.

        Raises:
            CannotRun: there is none.
        """
        if self._token is None:
            raise CannotRun(
                "no token for the Hub; run: hf auth login, or set HF_TOKEN; in CI use a trusted publisher "
                "(HF_OIDC_RESOURCE=datasets/NAMESPACE/NAME)"
            )

    def require_create(self, repo_id: str) -> None:
        """Check with one request that a repo in this namespace could be created, as far as the Hub tells beforehand.

        Raises:
            CannotRun: no token, one that may only read, or a namespace that is neither the user's nor of an
                organization of theirs.
        """
        self.require_token()
        account = self._read(repo_id, self._api.whoami)
        user, orgs = str(account.get("name")), [str(org.get("name")) for org in account.get("orgs") or ()]
        namespace = repo_id.partition("/")[0]
        if namespace.casefold() not in {name.casefold() for name in (user, *orgs)}:
            others = f" and of {', '.join(orgs)}" if orgs else ""
            raise CannotRun(
                printable(
                    f"{repo_id} is not there, and this token may not create it: it is of {user}{others}; "
                    f"use a token that may write to {namespace} (hf auth login), or choose another --repo-id"
                )
            )
        if ((account.get("auth") or {}).get("accessToken") or {}).get("role") == "read":
            raise CannotRun(
                f"{repo_id} is not there, and this token may not create it: it may only read; "
                "use one with write access (hf auth login)"
            )

    def create_repo(self, repo_id: str, *, private: bool) -> None:
        """Create a dataset repo; one that exists stays as it is."""
        self._read(repo_id, lambda: self._api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True))

    def refs(self, repo_id: str, *, pull_requests: bool = False) -> Refs:
        """Ask where main and the tags point.

        Raises:
            CannotRun: there is no such repo to be seen, or it has no branch main.
        """
        refs = self._read(
            repo_id,
            lambda: self._api.list_repo_refs(repo_id, repo_type="dataset", include_pull_requests=pull_requests),
        )
        heads = {ref.name: ref.target_commit for ref in refs.branches}
        if MAIN not in heads:
            raise CannotRun(f"{repo_id} has no branch main; make one at {self.page(repo_id)} and run again")
        numbers = {
            int(ref.ref.rpartition("/")[2]): ref.target_commit
            for ref in refs.pull_requests or []
            if ref.ref.rpartition("/")[2].isdigit()
        }
        return Refs(heads[MAIN], {ref.name: ref.target_commit for ref in refs.tags}, numbers)

    def resolve(self, repo_id: str, revision: str) -> str:
        """Return the commit of a branch, tag or commit.

        Raises:
            RepoMissing: there is no such repo to be seen.
            RevisionMissing: it has no such revision.
        """
        info = self._read(repo_id, lambda: self._api.dataset_info(repo_id, revision=revision))
        if not info.sha:
            raise CannotRun(f"the Hub names no commit for {repo_id}@{revision}; run this again later")
        return info.sha

    def files(self, repo_id: str, commit: str) -> dict[str, FileId]:
        """List all files of a commit by path."""
        from huggingface_hub.hf_api import RepoFile

        entries = self._read(
            repo_id,
            lambda: list(self._api.list_repo_tree(repo_id, repo_type="dataset", revision=commit, recursive=True)),
        )
        return {
            entry.path: FileId(
                entry.path,
                entry.size,
                entry.lfs.sha256 if entry.lfs else None,
                None if entry.lfs else entry.blob_id,
            )
            for entry in entries
            if isinstance(entry, RepoFile)
        }

    def read(self, repo_id: str, commit: str, path: str, folder: Path) -> bytes:
        """Download one file of a commit into a folder and return its content."""
        self.download(repo_id, commit, [path], folder)
        return (folder / path).read_bytes()

    def download(self, repo_id: str, commit: str, paths: Iterable[str], folder: Path) -> None:
        """Download files of exactly one commit, as regular files, and nothing else into the folder.

        Args:
            repo_id: the repo.
            commit: its full hash.
            paths: the wanted files; all must be there.
            folder: where to; files that are there already are fetched again only if they differ.
        """
        wanted = [glob.escape(path) for path in paths]
        if not wanted:
            return
        self._read(
            repo_id,
            lambda: self._api.snapshot_download(
                repo_id, repo_type="dataset", revision=commit, local_dir=folder, allow_patterns=wanted
            ),
        )
        shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's notes

    def commit(
        self,
        repo_id: str,
        folder: Path,
        *,
        add: Iterable[str],
        delete: Iterable[str],
        parent: str,
        message: str,
        description: str,
        create_pr: bool,
    ) -> Committed:
        """Upload what the Hub does not have yet and make one commit on main, or on a new pull request.

        Tries once: whether a request that failed had its effect can only be told by reading the repo again.

        Raises:
            Conflict: the head of main is not `parent`.
            Unavailable: no answer, or one that asks to come again.
            CannotRun: anything else.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete

        operations: list[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete] = [
            *(CommitOperationAdd(path, folder / path) for path in add),
            *(CommitOperationDelete(path, is_folder=False) for path in delete),
        ]
        made = self._once(
            repo_id,
            lambda: self._api.create_commit(
                repo_id,
                operations,
                commit_message=message,
                commit_description=description,
                repo_type="dataset",
                revision=MAIN,
                parent_commit=parent,
                create_pr=create_pr,
            ),
        )
        return Committed(made.oid, made.pr_url)

    def create_tag(self, repo_id: str, tag: str, commit: str) -> None:
        """Tag a commit; that it is tagged already, or that an answer was lost, does no harm.

        Raises:
            Conflict: the tag is on another commit.
            CannotRun: the Hub did not do it.
        """
        for delay in (*PATIENCE, None):
            try:
                self._once(
                    repo_id, lambda: self._api.create_tag(repo_id, tag=tag, revision=commit, repo_type="dataset")
                )
                return
            except (Conflict, Unavailable) as problem:
                place = self.refs(repo_id).tags.get(tag)
                if place == commit:
                    return
                if place is not None:
                    raise Conflict(
                        f"somebody else put the tag {tag} on {place[:12]} of {repo_id} meanwhile; look at it, "
                        "and bump the data version if it is another release"
                    ) from None
                self._pause(problem, delay)

    def open_pull_requests(self, repo_id: str, newest: int) -> list[int]:
        """Return the numbers of the newest open pull requests, newest first."""
        from itertools import islice

        def ask() -> list[int]:
            found = self._api.get_repo_discussions(
                repo_id, repo_type="dataset", discussion_type="pull_request", discussion_status="open"
            )
            return [discussion.num for discussion in islice(found, newest)]

        return self._read(repo_id, ask)

    def _read(self, repo_id: str, call: Callable[[], _Result]) -> _Result:
        """Do what may be done twice; be patient with a Hub that has answered before."""
        for delay in PATIENCE:
            try:
                return self._once(repo_id, call)
            except Unavailable as problem:
                if problem.repeated or not (problem.connected or self._reached):
                    raise
                self._pause(problem, delay)
        return self._once(repo_id, call)

    def _pause(self, problem: PipelineError, delay: float | None) -> None:
        """Wait as long as the Hub asks, else for `delay`; give up by raising the problem."""
        asked = problem.retry_after if isinstance(problem, Unavailable) else None
        if delay is None or (asked or 0) > LONGEST_WAIT:
            raise problem
        self._sleep(delay if asked is None else asked)

    def pause(self, problem: PipelineError, attempt: int) -> None:
        """Wait before the next attempt, the first being 0; raise the problem if it was the last."""
        self._pause(problem, PATIENCE[attempt] if attempt < len(PATIENCE) else None)

    def _once(self, repo_id: str, call: Callable[[], _Result]) -> _Result:
        """Do one call of the client. The token reaches neither a message nor the chain of exceptions."""
        from huggingface_hub import get_session

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the client's remarks on cards and deprecated arguments are not for users
            try:
                get_session().timeout = _TIMEOUT  # anew each time, for the client replaces a broken session
                result = call()
            except Exception as error:  # the client passes on whatever its HTTP library and its uploader raise
                problem = explain(error, repo_id, self.endpoint, self._token)
                self._reached = self._reached or not isinstance(problem, Unavailable)
                raise problem from None
        self._reached = True
        return result


def connect(sleep: Callable[[float], object] | None = None) -> Hub:
    """Make a client for the Hub of the environment, with the token that huggingface_hub finds.

    That is, in this order: the exchange of a CI job's identity (``HF_OIDC_RESOURCE``), ``HF_TOKEN``, the login.

    Raises:
        CannotRun: the exchange failed, or the token cannot be one.
    """
    from huggingface_hub import HfApi, constants, get_token
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    if not sys.stderr.isatty() and constants.HF_HUB_DISABLE_PROGRESS_BARS is None:
        disable_progress_bars()
    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    try:
        token = get_token()
    except Exception as error:  # the exchange raises what the HTTP library raises, and errors of its own
        raise explain(error, os.environ.get("HF_OIDC_RESOURCE", ""), endpoint, None) from None
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        # It would stand in the error of the HTTP library, which no header may hold.
        raise CannotRun("the token holds characters that no token has; log in again (hf auth login) or renew HF_TOKEN")
    return Hub(HfApi(endpoint=endpoint, token=token or False, library_name="closebench-hub"), token, sleep)


def check_repo_id(repo_id: str) -> str:
    """Return a repo id that can be one.

    Raises:
        UsageError: it is no ``NAMESPACE/NAME``.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo_id)
        if repo_id.count("/") == 1:
            return repo_id
    except HFValidationError:
        pass
    raise UsageError(f"{repo_id!r} is no dataset repo; write NAMESPACE/NAME, for example me/data")
