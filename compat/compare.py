"""Compares the rows that a reader gives with the rows of the JSONL: keys, order, types and values. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

_SHOWN = 80  # characters of a value in a message
_NO_ROW = object()


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON Schema with its references followed.

    Attributes:
        kind: ``object``, ``array``, ``string`` or ``integer``.
        parts: the keys of an object in their order; the item of an array under the empty key.
    """

    kind: str
    parts: Mapping[str, Shape] = field(default_factory=dict)


def shape_of(document: Mapping[str, Any], node: Mapping[str, Any] | None = None) -> Shape:
    """Follow the references of a JSON Schema.

    Args:
        document: the schema of a row.
        node: the part of it that is wanted; None means all.
    """
    node = document if node is None else node
    if "$ref" in node:
        target: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return shape_of(document, target)
    if node["type"] == "object":
        return Shape("object", {key: shape_of(document, child) for key, child in node["properties"].items()})
    if node["type"] == "array":
        return Shape("array", {"": shape_of(document, node["items"])})
    return Shape(node["type"])


def compare_rows(shape: Shape, expected: Iterable[Mapping[str, Any]], actual: Iterable[Any]) -> tuple[int, str | None]:
    """Compare all rows.

    Args:
        shape: what a row looks like.
        expected: the rows of the JSONL.
        actual: the rows that a reader gives, as plain Python values, absent keys None.

    Returns:
        How many rows were equal before the first difference, and that difference.
    """
    count = 0
    for wanted, found in zip_longest(expected, actual, fillvalue=_NO_ROW):
        if found is _NO_ROW or wanted is _NO_ROW:
            return count, f"row {count}: {'missing' if found is _NO_ROW else 'one too many'}"
        difference = compare_value(shape, wanted, found)
        if difference:
            return count, f"row {count}: {difference}"
        count += 1
    return count, None


def compare_value(shape: Shape, expected: Any, actual: Any, path: str = "") -> str | None:
    """Compare one value and all that is in it; return the first difference."""
    if shape.kind == "object":
        if type(actual) is not dict or type(expected) is not dict or list(actual) != list(shape.parts):
            return _differ(path, expected, actual)
        unknown = expected.keys() - shape.parts.keys()
        if unknown:
            return f"{path or 'the row'}: the JSONL has the undeclared key {min(unknown)!r}"
        for key, part in shape.parts.items():
            inner = f"{path}.{key}" if path else key
            if key in expected:
                difference = compare_value(part, expected[key], actual[key], inner)
            else:
                difference = None if actual[key] is None else f"{inner}: absent in the JSONL, {_show(actual[key])} read"
            if difference:
                return difference
        return None
    if shape.kind == "array":
        if type(actual) is not list or type(expected) is not list or len(actual) != len(expected):
            return _differ(path, expected, actual)
        for index, (wanted, found) in enumerate(zip(expected, actual, strict=True)):
            difference = compare_value(shape.parts[""], wanted, found, f"{path}[{index}]")
            if difference:
                return difference
        return None
    declared = str if shape.kind == "string" else int
    if type(expected) is declared and type(actual) is declared and expected == actual:
        return None
    return _differ(path, expected, actual)


def _differ(path: str, expected: Any, actual: Any) -> str:
    return f"{path or 'the row'}: {_show(expected)} in the JSONL, {_show(actual)} read"


def _show(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
