"""One HTTP request and one HTTP response as plain records, so that the protocol needs no socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked.

    Attributes:
        method: in capitals.
        path: as sent, still percent-encoded: ``refs%2Fpr%2F1`` is one segment and has to stay one.
        query: as sent, without the question mark.
        headers: names in lower case. They hold the token, so they stay out of the repr.
        body: the whole body.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    def parameter(self, name: str, default: str = "") -> str:
        """Return the first value of a query parameter."""
        return parse_qs(self.query, keep_blank_values=True).get(name, [default])[0]

    def flag(self, name: str) -> bool:
        """Tell whether a query parameter is set: ``1`` or ``true`` (``True`` from huggingface_hub < 1)."""
        return self.parameter(name).lower() in {"1", "true"}


@dataclass(frozen=True, slots=True)
class Response:
    """What the Hub answers; the length of the body is announced by the server, also on HEAD."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON."""
    content = json.dumps(value, ensure_ascii=False).encode()
    return Response(status, {"Content-Type": "application/json; charset=utf-8", **(headers or {})}, content)
