"""One line of a file of answers, read strictly. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

_KEYS: Mapping[str, tuple[type, str]] = {
    "id": (str, "a string"),
    "seed": (int, "an integer"),
    "split": (str, "a string"),
    "answer": (str, "a string, the raw text as the agent gave it"),
    "infra_error": (str, "a string"),
}


class BadLine(Exception):
    """A line that is no answer; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """What a line says: an id, or a seed and its split, and then an answer or an error of the infrastructure.

    Attributes:
        id: the id of the row, or None.
        seed: the seed of the row, or None.
        split: the split of the row; beside an id it may be None.
        answer: the raw text, or None.
        infra_error: why there is no answer through no fault of the agent, or None.
    """

    id: str | None
    seed: int | None
    split: str | None
    answer: str | None
    infra_error: str | None

    @property
    def row(self) -> str:
        """Name the row in plain ASCII, however it was named and whatever stands in the name."""
        if self.id is not None:
            return ascii(self.id[:80])
        return f"seed {str(self.seed)[:40]} of split {ascii((self.split or '')[:80])}"


def parse_line(line: bytes) -> AnswerLine:
    """Read one line.

    Keys other than the five are ignored, and a null is the same as an absent key.

    Raises:
        BadLine: it is no JSON object, has a wrong type or a key twice, lacks a key, or says two things at once.
    """
    content = _parse_object(line)
    values: dict[str, Any] = {}
    for key, (kind, words) in _KEYS.items():
        value = content.get(key)
        if value is not None and type(value) is not kind:
            raise BadLine(f"{key} is not {words}")
        values[key] = value
    given = AnswerLine(**values)
    if (given.id is None) == (given.seed is None):
        raise BadLine("it has neither id nor seed" if given.id is None else "it has both id and seed")
    if given.seed is not None and given.split is None:
        raise BadLine("seed has no split beside it")
    if (given.answer is None) == (given.infra_error is None):
        which = "neither answer nor infra_error" if given.answer is None else "both answer and infra_error"
        raise BadLine(f"it has {which}")
    return given


def _parse_object(line: bytes) -> dict[str, Any]:
    try:
        content = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadLine(f"it is not UTF-8 (byte {error.start + 1})") from None
    except RecursionError:
        raise BadLine("it is nested too deeply") from None
    except ValueError as error:
        raise BadLine(f"it is no JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadLine("it is no JSON object")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Not orjson: it refuses an escaped lone surrogate, which json.dumps writes for a text that an agent may well give.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
