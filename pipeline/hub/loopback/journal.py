"""The request log."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what became of it. Headers and bodies, hence tokens, are not kept.

    Attributes:
        number: in the order in which requests arrived, from 1.
        method: in capitals.
        path: as sent, query included.
        status: of the response; None if the connection was closed without one.
        received: bytes of the request's body.
        sent: bytes of the response's body.
        account: name of the user whose token was sent; None without a token or with a bad one.
        fault: name of the kind of fault that was injected, if any.
    """

    number: int
    method: str
    path: str
    status: int | None
    received: int
    sent: int
    account: str | None
    fault: str | None = None


class Journal:
    """All exchanges so far. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._exchanges: list[Exchange] = []

    def number(self) -> int:
        """Give a request that arrives its number."""
        return next(self._numbers)

    def add(self, exchange: Exchange) -> None:
        """Note an exchange; to be called before its response is sent, so that the client finds it noted."""
        with self._lock:
            self._exchanges.append(exchange)

    def exchanges(self) -> tuple[Exchange, ...]:
        """Return all exchanges in the order of arrival."""
        with self._lock:
            return tuple(sorted(self._exchanges, key=lambda exchange: exchange.number))

    def clear(self) -> None:
        """Forget the exchanges so far; numbers go on."""
        with self._lock:
            self._exchanges.clear()
