"""Faults on purpose: what can go wrong between a client and the Hub, and when it shall.

Each kind comes before the effect (the Hub never handled the request) or after it (the Hub did, its state has
changed, and the client does not learn of it).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.hub.loopback.messages import Response, json_response

Respond = Callable[[], Response]
"""Handles the request, with its effect."""

Pause = Callable[[float], None]
"""Waits for some seconds, or until the Hub closes."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What goes to the client.

    Attributes:
        response: None to close the connection without a word.
        keep: send only so many bytes of the body, of which all were announced, then close; None to send all.
    """

    response: Response | None
    keep: int | None = None


class Fault(Protocol):
    """One way of going wrong."""

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """Decide what the client gets and whether, before that, the request has its effect."""


@dataclass(frozen=True, slots=True)
class Fail:
    """Answer with an error status.

    Attributes:
        headers: for example ``{"Retry-After": "0"}``.
        body: JSON text by default.
    """

    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    after_effect: bool = False

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """See `Fault.deliver`."""
        if self.after_effect:
            respond()
        if self.body is not None:
            return Delivery(Response(self.status, self.headers, self.body))
        return Delivery(json_response({"error": "Injected fault"}, self.status, self.headers))


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection instead of answering."""

    after_effect: bool = False

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """See `Fault.deliver`."""
        if self.after_effect:
            respond()
        return Delivery(None)


@dataclass(frozen=True, slots=True)
class Truncate:
    """Announce the whole body, send its first bytes, close. The effect has happened."""

    keep: int = 0

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """See `Fault.deliver`."""
        return Delivery(respond(), self.keep)


@dataclass(frozen=True, slots=True)
class Delay:
    """Answer correctly, but late."""

    seconds: float
    after_effect: bool = False

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """See `Fault.deliver`."""
        if not self.after_effect:
            pause(self.seconds)
        response = respond()
        if self.after_effect:
            pause(self.seconds)
        return Delivery(response)


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Answer correctly, and let something else happen just before or after the effect.

    Attributes:
        action: called in the thread of the request. It may use the Hub: commit a rival release, kill the client.
    """

    action: Callable[[], object]
    after_effect: bool = False

    def deliver(self, respond: Respond, pause: Pause) -> Delivery:
        """See `Fault.deliver`."""
        if not self.after_effect:
            self.action()
        response = respond()
        if self.after_effect:
            self.action()
        return Delivery(response)


@dataclass(frozen=True, slots=True)
class Rule:
    """When a fault happens.

    Attributes:
        method: any if None.
        path: regex searched in the path as sent, query included; the empty one fits every path.
        nth: the first request that it hits, counting from 1 those that fit.
        times: how many in a row it hits; None for all that follow.
    """

    fault: Fault
    method: str | None = None
    path: str = ""
    nth: int = 1
    times: int | None = 1

    def fits(self, method: str, target: str) -> bool:
        """Tell whether a request counts."""
        return self.method in (None, method) and re.search(self.path, target) is not None

    def hits(self, count: int) -> bool:
        """Tell whether the fault happens to the request of that number among those that fit."""
        return count >= self.nth and (self.times is None or count < self.nth + self.times)


class Faults:
    """The rules in force. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self._counts: list[int] = []

    def add(
        self, fault: Fault, *, method: str | None = None, path: str = "", nth: int = 1, times: int | None = 1
    ) -> None:
        """Put a rule in force; it counts from now on. See `Rule` for the arguments."""
        with self._lock:
            self._rules.append(Rule(fault, method, path, nth, times))
            self._counts.append(0)

    def clear(self) -> None:
        """Let nothing go wrong any more."""
        with self._lock:
            self._rules.clear()
            self._counts.clear()

    def next(self, method: str, target: str) -> Fault | None:
        """Count a request in every rule that it fits, and return the fault of the first rule that hits it."""
        hit: Fault | None = None
        with self._lock:
            for index, rule in enumerate(self._rules):
                if rule.fits(method, target):
                    self._counts[index] += 1
                    if hit is None and rule.hits(self._counts[index]):
                        hit = rule.fault
        return hit
