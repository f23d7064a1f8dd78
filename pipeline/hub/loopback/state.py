"""Everything that the loopback Hub remembers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.hub.loopback.accounts import Account
from pipeline.hub.loopback.repository import Repository


@dataclass(slots=True)
class State:
    """The accounts and the repos of one Hub.

    Attributes:
        endpoint: address of the Hub, without a trailing slash; it stands in the links that the Hub hands out.
        accounts: by token.
        publishers: trusted publishers: the identity token of a CI job to what it may be exchanged for, each as
            ``datasets/<namespace>/<name>``.
        page_size: longest page of a listing.
        repositories: by ``namespace/name``.
        lock: held while a request is handled, so that every request is atomic.
    """

    endpoint: str
    accounts: dict[str, Account] = field(repr=False)
    publishers: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    page_size: int = 1000
    repositories: dict[str, Repository] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def address(self, repository: Repository) -> str:
        """Return the address of a repo's page."""
        return f"{self.endpoint}/datasets/{repository.id}"
