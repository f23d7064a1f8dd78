"""Who a token speaks for, and what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["read", "write", "fineGrained"]

READ = "repo.content.read"
WRITE = "repo.write"
PROPOSE = "discussion.write"


@dataclass(frozen=True, slots=True)
class Account:
    """One access token, without its secret.

    Attributes:
        name: the user.
        role: ``write`` and ``read`` reach everything that the user reaches; ``fineGrained`` only `scopes`.
        orgs: organizations in which the user may write.
        scopes: for ``fineGrained``: namespace or ``namespace/name`` to a tuple of `READ`, `WRITE`, `PROPOSE`.
    """

    name: str = "me"
    role: Role = "write"
    orgs: tuple[str, ...] = ()
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def may_read(self, repo_id: str) -> bool:
        """Tell whether the token reaches a private repo."""
        return self._belongs(repo_id) if self.role != "fineGrained" else self._has(repo_id, READ, WRITE)

    def may_write(self, repo_id: str) -> bool:
        """Tell whether the token may change a repo, or create it."""
        return self.role == "write" and self._belongs(repo_id) or self._has(repo_id, WRITE)

    def may_propose(self, repo_id: str) -> bool:
        """Tell whether the token may open a pull request on a repo that it can read; strangers may."""
        return self.role == "write" or self._has(repo_id, WRITE, PROPOSE)

    def _belongs(self, repo_id: str) -> bool:
        return repo_id.partition("/")[0] in {self.name, *self.orgs}

    def _has(self, repo_id: str, *permissions: str) -> bool:
        granted = {*self.scopes.get(repo_id, ()), *self.scopes.get(repo_id.partition("/")[0], ())}
        return self.role == "fineGrained" and not granted.isdisjoint(permissions)

    def describe(self) -> dict[str, Any]:
        """Render the answer to ``whoami``."""
        token: dict[str, Any] = {"displayName": "loopback", "role": self.role}
        if self.role == "fineGrained":
            token["fineGrained"] = {"canReadGatedRepos": False, "global": [], "scoped": self._describe_scopes()}
        orgs = [{"type": "org", "name": org, "fullname": org, "roleInOrg": "write"} for org in self.orgs]
        user = {"type": "user", "id": self.name, "name": self.name, "fullname": self.name, "isPro": False}
        return {**user, "orgs": orgs, "auth": {"type": "access_token", "accessToken": token}}

    def _describe_scopes(self) -> list[dict[str, Any]]:
        kinds = {self.name: "user", **dict.fromkeys(self.orgs, "org")}
        return [
            {"entity": {"_id": name, "type": kinds.get(name, "dataset"), "name": name}, "permissions": [*permissions]}
            for name, permissions in self.scopes.items()
        ]
