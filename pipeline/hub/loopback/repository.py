"""One dataset repo: commits, the refs that point at them, and its pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pipeline.hub.loopback.attributes import ATTRIBUTES, INITIAL_ATTRIBUTES, with_attributes
from pipeline.hub.loopback.errors import HubError, bad_request, forbidden, revision_not_found
from pipeline.hub.loopback.objects import Commit, Entry, Tree, instant
from pipeline.hub.loopback.operations import Change, apply

MAIN = "main"

Gate = Literal[False, "auto", "manual"]

_REF_NAME = re.compile(r"(?!refs/)(?!.*\.\.)(?!.*//)[A-Za-z0-9_][A-Za-z0-9._/+-]*(?<![./])")


@dataclass(frozen=True, slots=True)
class Discussion:
    """A discussion, or a pull request, which also has a ref ``refs/pr/<number>``."""

    number: int
    title: str
    description: str
    author: str
    date: str
    base: str | None
    """The branch that a pull request is meant for; None for a discussion."""
    status: Literal["draft", "open"] = "open"


class Repository:
    """A dataset repo. Not thread-safe: the Hub lets one request in at a time."""

    def __init__(self, repo_id: str, *, private: bool = False) -> None:
        """Create the repo with the one commit that the Hub makes, which holds ``.gitattributes``."""
        self.id = repo_id
        self.private = private
        self.gated: Gate = False
        self.granted: set[str] = set()
        """Names of the users who may read the files although the repo is gated."""
        self.commits: dict[str, Commit] = {}
        self.branches: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.pull_requests: dict[int, str] = {}
        self.discussions: list[Discussion] = []
        self.large_files: dict[str, bytes] = {}
        """What was uploaded through LFS, by SHA-256, whether or not a commit refers to it."""
        self.expected_uploads: dict[str, int] = {}
        """Size by SHA-256 of the LFS files that a client has announced."""
        self._ticks = 0
        self.created = self._now()
        tree = {ATTRIBUTES: Entry.regular(INITIAL_ATTRIBUTES.encode())}
        self.branches[MAIN] = self._record(None, tree, "initial commit", "", "system").oid

    def resolve(self, revision: str) -> Commit:
        """Find a commit by branch, tag, full ref, pull request or hash (at least five digits).

        Raises:
            HubError: 404 RevisionNotFound.
        """
        kind, _, name = revision.removeprefix("refs/").partition("/")
        oid = self.branches.get(revision) or self.tags.get(revision)
        if oid is None and revision.startswith("refs/"):
            pulls = {str(number): head for number, head in self.pull_requests.items()}
            oid = {"heads": self.branches, "tags": self.tags, "pr": pulls}.get(kind, {}).get(name)
        if oid is None and re.fullmatch(r"[0-9a-f]{5,40}", revision):
            found = [commit for commit in self.commits if commit.startswith(revision)]
            oid = found[0] if len(found) == 1 else None
        if oid is None:
            raise revision_not_found(revision)
        return self.commits[oid]

    def history(self, commit: Commit) -> Iterator[Commit]:
        """Yield a commit and its ancestors, newest first."""
        while True:
            yield commit
            if commit.parent is None:
                return
            commit = self.commits[commit.parent]

    def commit(self, revision: str, change: Change, author: str) -> Commit:
        """Move a branch or a pull request by one commit, entirely or not at all.

        Raises:
            HubError: 404 RevisionNotFound if `revision` is neither, 412 if its head is not the parent asked for,
                or what `operations.apply` refuses.
        """
        pull = re.fullmatch(r"refs/pr/(\d+)", revision)
        branch = revision.removeprefix("refs/heads/")
        if branch not in self.branches and not (pull and int(pull[1]) in self.pull_requests):
            raise revision_not_found(revision)
        head = self.resolve(revision)
        if change.parent and not head.oid.startswith(change.parent):
            raise HubError(412, "A commit has happened since. Please refresh and try again.")
        commit = self._make(head, change, author)
        if pull:
            self.pull_requests[int(pull[1])] = commit.oid
        else:
            self.branches[branch] = commit.oid
        return commit

    def propose(self, branch: str, change: Change, author: str) -> tuple[Commit, Discussion]:
        """Make a commit on a new pull request against a branch, starting at the parent asked for, else at its head.

        Raises:
            HubError: 404 RevisionNotFound, or what `operations.apply` refuses.
        """
        branch = branch.removeprefix("refs/heads/")
        if branch not in self.branches:
            raise revision_not_found(branch)
        commit = self._make(self.resolve(change.parent or branch), change, author)
        discussion = self.open_discussion(change.title, change.message, author, base=branch)
        self.pull_requests[discussion.number] = commit.oid
        return commit, discussion

    def open_discussion(
        self, title: str, description: str, author: str, *, base: str | None, draft: bool = False
    ) -> Discussion:
        """Open a discussion, or a pull request against `base` that starts at its head."""
        number = len(self.discussions) + 1
        status: Literal["draft", "open"] = "draft" if draft else "open"
        discussion = Discussion(number, title, description, author, self._now(), base, status)
        self.discussions.append(discussion)
        if base is not None:
            self.pull_requests[number] = self.branches[base]
        return discussion

    def create_tag(self, name: str, revision: str) -> None:
        """Name a commit for good.

        Raises:
            HubError: 400 for a malformed name, 404 RevisionNotFound, 409 if the tag exists, wherever it points.
        """
        self._create_ref(
            self.tags,
            name,
            revision,
            malformed=f"Invalid tag name {name!r}",
            taken=f"Tag reference exists already: {name}",
        )

    def delete_tag(self, name: str) -> None:
        """Remove a tag.

        Raises:
            HubError: 404 RevisionNotFound.
        """
        if self.tags.pop(name, None) is None:
            raise revision_not_found(name)

    def create_branch(self, name: str, revision: str) -> None:
        """Start a branch at a revision.

        Raises:
            HubError: 400 for a malformed name, 404 RevisionNotFound, 409 if the branch exists.
        """
        self._create_ref(
            self.branches,
            name,
            revision,
            malformed=f"Invalid reference for a branch: {name!r}",
            taken=f"Reference already exists: refs/heads/{name}",
        )

    def delete_branch(self, name: str) -> None:
        """Remove a branch other than main; its commits stay.

        Raises:
            HubError: 403 for main, 404 RevisionNotFound.
        """
        if name == MAIN:
            raise forbidden("main cannot be deleted")
        if self.branches.pop(name, None) is None:
            raise revision_not_found(name)

    def _create_ref(self, refs: dict[str, str], name: str, revision: str, *, malformed: str, taken: str) -> None:
        oid = self.resolve(revision).oid
        if not _REF_NAME.fullmatch(name):
            raise bad_request(malformed)
        if name in refs:
            raise HubError(409, taken)
        refs[name] = oid

    def _make(self, head: Commit, change: Change, author: str) -> Commit:
        tree = apply(head.tree, change.operations, self.large_files.get)
        return self._record(head.oid, with_attributes(tree), change.title, change.message, author)

    def _record(self, parent: str | None, tree: Tree, title: str, message: str, author: str) -> Commit:
        commit = Commit.make(parent, tree, title, message, author, self._ticks)
        self._ticks += 1
        self.commits[commit.oid] = commit
        return commit

    def _now(self) -> str:
        return instant(self._ticks)
