"""Reads the raw text of an answer as strict JSON, without ever raising anything but `Unreadable`."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

MAX_ANSWER_BYTES = 200_000
"""A longer answer is not read at all, unless its family allows for more; no honest answer comes near."""

MAX_DEPTH = 100
"""Deeper nesting is refused. The parser's own limit depends on the Python version and on how deep its caller is."""

MAX_NUMBER_LENGTH = 4_300
"""A longer number is refused, as Python's own reader of integers does."""

_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(.*)\n[ \t]*```", re.DOTALL)
_TOO_DEEP = f"the answer is nested more than {MAX_DEPTH} deep"


class Unreadable(Exception):
    """The answer is not exactly one JSON value; the message says why in one line."""


class Number(str):
    """A JSON number, kept as the text that the agent wrote so that its decimals can be counted."""

    __slots__ = ()


def parse_answer(text: str, max_bytes: int = MAX_ANSWER_BYTES) -> Any:
    """Read an answer that must be one JSON value and nothing else, white space around it apart.

    Numbers come back as `Number`. Not accepted: a code fence, text before or after, a second value, a byte order
    mark, a repeated key, NaN and Infinity, more than `max_bytes`, nesting or digits that overflow a parser.

    Raises:
        Unreadable: with the reason.
    """
    if len(text) > max_bytes or len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        raise Unreadable(f"the answer is longer than {max_bytes} bytes")
    try:
        value = _DECODER.decode(text.strip(" \t\r\n"))
    except json.JSONDecodeError as error:
        raise Unreadable(f"the answer is not one JSON value: {error}") from None
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise Unreadable(_TOO_DEEP)
    return value


def without_fence(text: str) -> str:
    """Take one Markdown code fence off an answer that is entirely inside it; any other answer stays as it is."""
    found = _FENCE.fullmatch(text.strip())
    return found[1] if found else text


def _is_deeper(value: Any, depth: int) -> bool:
    """Tell whether lists and objects are nested more than `depth` deep, without recursion."""
    level = [value]
    for _ in range(depth):
        members = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for inside in members for inner in inside]
        if not level:
            return False
    return any(isinstance(one, dict | list) for one in level)


def _number(literal: str) -> Number:
    if len(literal) > MAX_NUMBER_LENGTH:
        raise Unreadable(f"a number of the answer is longer than {MAX_NUMBER_LENGTH} characters")
    return Number(literal)


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Unreadable(f"the key {repeated[:80]!r} stands twice in one object")
    return result


_DECODER = json.JSONDecoder(
    parse_int=_number, parse_float=_number, parse_constant=_refuse_constant, object_pairs_hook=_object
)
