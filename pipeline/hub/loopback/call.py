"""One request on its way through a route: what was asked, by whom, and what they may touch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.hub.loopback.accounts import Account
from pipeline.hub.loopback.errors import HubError, bad_request, forbidden, repo_not_found
from pipeline.hub.loopback.messages import Request
from pipeline.hub.loopback.objects import Commit
from pipeline.hub.loopback.repository import MAIN, Repository
from pipeline.hub.loopback.state import State

Need = Literal["read", "propose", "write"]


@dataclass(frozen=True, slots=True)
class Call:
    """A request, its route's values and its account.

    Attributes:
        values: the named parts of the path, percent-decoded.
        account: None for a caller without a token.
    """

    state: State
    request: Request
    values: Mapping[str, str]
    account: Account | None

    @property
    def user(self) -> Account:
        """The account of a caller who must have one.

        Raises:
            HubError: 401.
        """
        if self.account is None:
            # With the code of a missing repo, because clients on http take no other 401 for what it is.
            raise HubError(401, "Invalid username or password.", "RepoNotFound")
        return self.account

    @property
    def repo_id(self) -> str:
        """The repo that the path names."""
        return f"{self.values['namespace']}/{self.values['name']}"

    def repository(self, need: Need = "read") -> Repository:
        """Return the repo that the path names.

        Raises:
            HubError: 401 or 404 if it is not there or not to be seen, 401 or 403 if it may not be changed.
        """
        repository = self.state.repositories.get(self.repo_id)
        if repository is None or (repository.private and not self._sees(repository)):
            raise repo_not_found(anonymous=self.account is None)
        if need != "read":
            self._require(need)
        return repository

    def _sees(self, repository: Repository) -> bool:
        return self.account is not None and self.account.may_read(repository.id)

    def _require(self, need: Need) -> None:
        allowed = self.user.may_propose if need == "propose" else self.user.may_write
        if self.user.role == "read":
            raise forbidden("Forbidden: you must use a write token to upload to a repository.")
        if not allowed(self.repo_id):
            raise forbidden(f"Forbidden: this token has no permission to {need} on dataset {self.repo_id}.")

    def may_download(self, repository: Repository) -> bool:
        """Tell whether the caller may have the files, which a gated repo shows in its listings all the same."""
        if not repository.gated:
            return True
        return self.account is not None and (
            self.account.name in repository.granted or self.account.may_read(repository.id)
        )

    def commit(self, repository: Repository) -> Commit:
        """Return the commit of the revision in the path, else the head of main."""
        return repository.resolve(self.values.get("revision") or MAIN)

    def json(self) -> dict[str, Any]:
        """Return the body, a JSON object.

        Raises:
            HubError: 400.
        """
        try:
            value = json.loads(self.request.body or b"{}")
        except ValueError as error:
            raise bad_request("The body is not JSON") from error
        if not isinstance(value, dict):
            raise bad_request("The body is not a JSON object")
        return value

    def text(self, name: str) -> str:
        """Return a key of the body that must hold some text.

        Raises:
            HubError: 400.
        """
        value = self.json().get(name)
        if not isinstance(value, str) or not value:
            raise bad_request(f'"{name}" is required and must be a text')
        return value
