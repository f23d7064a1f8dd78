"""Long listings in pages, each naming the next in a ``Link`` header."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import bad_request
from pipeline.hub.loopback.messages import Response, json_response

Thing = TypeVar("Thing")


def page(call: Call, things: Sequence[Thing], render: Callable[[Thing], Any], longest: int | None = None) -> Response:
    """Answer with the page of a listing that the query asks for.

    Args:
        call: its query may hold ``cursor`` and ``limit``.
        things: the whole listing.
        render: makes JSON of one thing.
        longest: a limit below the Hub's own.

    Raises:
        HubError: 400 for a cursor or limit that is no number.
    """
    longest = min(call.state.page_size, longest or call.state.page_size)
    start, limit = _number(call, "cursor", 0), _number(call, "limit", longest)
    end = start + max(1, min(limit, longest))
    headers = {"Link": f'<{_address(call, end)}>; rel="next"'} if end < len(things) else {}
    return json_response([render(thing) for thing in things[start:end]], headers=headers)


def _number(call: Call, name: str, default: int) -> int:
    text = call.request.parameter(name, str(default))
    if not text.isdecimal():
        raise bad_request(f"{name} must be a number")
    return int(text)


def _address(call: Call, cursor: int) -> str:
    query = [(key, value) for key, value in parse_qsl(call.request.query, keep_blank_values=True) if key != "cursor"]
    return f"{call.state.endpoint}{call.request.path}?{urlencode([*query, ('cursor', str(cursor))])}"
