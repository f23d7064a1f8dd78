"""One JSON Schema, every rendering of it: Arrow schema, datasets features, row validator, table for people.

The project's schemas use a small part of JSON Schema 2020-12: closed objects, arrays, strings and integers, with
local ``$ref``. Nothing else has one meaning in JSON, Arrow, Parquet and every reader, so anything else is refused.
Pure: reading the files is the job of `pipeline.resources`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import jsonschema_rs

from pipeline.errors import CannotRun, RowInvalid

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

_SHOWN = 200  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Field:
    """One node of a schema.

    Attributes:
        name: the key in its object; empty for the row itself and for the items of a list.
        kind: ``struct`` has `children`, ``list`` has one child, ``string`` and ``integer`` are leaves.
        required: whether the key must be present; only string leaves may be absent.
        description: what it holds, for people.
        rule: the constraint on a leaf as people write it, for example ``en | ru``; empty if there is none.
    """

    name: str
    kind: Literal["struct", "list", "string", "integer"]
    required: bool
    description: str
    rule: str = ""
    children: tuple[Field, ...] = ()


@dataclass(frozen=True)
class Schema:
    """The schema of one config.

    Attributes:
        name: ``family/config``, for messages.
        document: the JSON Schema itself.
    """

    name: str
    document: Mapping[str, Any]

    @cached_property
    def root(self) -> Field:
        """The tree that every rendering is derived from.

        Raises:
            CannotRun: the document goes beyond what the project's schemas may use.
        """
        return _parse(self.document, self.document, name="", required=True, where=self.name)

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema: strings and int64 in structs and lists, nothing else."""
        import pyarrow as pa

        return pa.schema([(child.name, _arrow_type(child)) for child in self.root.children])

    @cached_property
    def features(self) -> datasets.Features:
        """The same as `datasets.Features`."""
        import datasets

        return datasets.Features({child.name: _feature(child) for child in self.root.children})

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(dict(self.document), validate_formats=True)

    def validate(self, row: Mapping[str, Any], where: str) -> None:
        """Check one row.

        Args:
            row: the row.
            where: which row it is, for the message.

        Raises:
            RowInvalid: naming the row, the path in it, the value and the rule that it breaks.
        """
        if self._validator.is_valid(row):
            return
        problem = next(self._validator.iter_errors(row))
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.instance_path)
        value = json.dumps(problem.instance, ensure_ascii=False, default=repr)
        rule = "/".join(str(step) for step in problem.schema_path)
        message = problem.message.replace(value, "the value") if len(value) > _SHOWN else problem.message
        raise RowInvalid(
            f"{where}: {path.lstrip('.') or 'the row'} = {_shorten(value)} breaks schemas/{self.name}.json#/{rule}: "
            f"{_shorten(message)}; correct the generator or the schema"
        )

    def fields(self) -> Iterator[tuple[str, Field]]:
        """Walk every named field in row order with its path, such as ``entries[].lines[].debit``."""
        yield from _walk(self.root, "")

    def table(self) -> str:
        """Render the fields as a Markdown table for people."""
        lines = ["| field | type | meaning |", "|---|---|---|"]
        for path, field in self.fields():
            rule = " `" + field.rule.replace("|", "\\|") + "`" if field.rule else ""
            lines.append(f"| `{path}` | {_kind_for_people(field)} | {field.description}{rule} |")
        return "\n".join(lines) + "\n"


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _kind_for_people(field: Field) -> str:
    kind = {"struct": "object", "list": "list"}.get(field.kind, field.kind)
    if field.kind == "list" and field.children[0].kind != "struct":
        kind = f"list of {field.children[0].kind}s"
    return kind if field.required else f"{kind}, may be absent"


def _resolve(node: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Follow one local reference; keys beside ``$ref``, such as a description, win over those of its target."""
    reference = node.get("$ref")
    if reference is None:
        return dict(node)
    target: Any = document
    for step in reference.removeprefix("#/").split("/"):
        target = target[step]
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def _parse(node: Mapping[str, Any], document: Mapping[str, Any], *, name: str, required: bool, where: str) -> Field:
    node = _resolve(node, document)
    kind = node.get("type")
    description = str(node.get("description", ""))
    if kind == "object":
        properties = node.get("properties", {})
        if node.get("additionalProperties") is not False:
            raise CannotRun(f"schema {where}: every object must say additionalProperties: false")
        needed = node.get("required", [])
        children = tuple(
            _parse(child, document, name=key, required=key in needed, where=f"{where}.{key}")
            for key, child in properties.items()
        )
        optional = [child.name for child in children if not child.required and child.kind != "string"]
        if optional:
            raise CannotRun(f"schema {where}: only strings may be optional, not {', '.join(optional)}")
        return Field(name, "struct", required, description, children=children)
    if kind == "array":
        item = _parse(node["items"], document, name="", required=True, where=f"{where}[]")
        return Field(name, "list", required, description, children=(item,))
    if kind in ("string", "integer"):
        return Field(name, kind, required, description, _rule(node))
    raise CannotRun(f"schema {where}: type {kind!r} is not one of object, array, string, integer")


def _rule(node: Mapping[str, Any]) -> str:
    if "const" in node:
        return str(node["const"])
    if "enum" in node:
        return " | ".join(map(str, node["enum"]))
    if node.get("format") == "date":
        return "YYYY-MM-DD"
    return str(node.get("pattern", ""))


def _arrow_type(field: Field) -> pa.DataType:
    import pyarrow as pa

    if field.kind == "struct":
        return pa.struct([(child.name, _arrow_type(child)) for child in field.children])
    if field.kind == "list":
        # Parquet's own name for a list's items, so that a schema read back equals the declared one.
        return pa.list_(pa.field("element", _arrow_type(field.children[0])))
    return pa.string() if field.kind == "string" else pa.int64()


def _feature(field: Field) -> Any:
    import datasets

    if field.kind == "struct":
        return {child.name: _feature(child) for child in field.children}
    if field.kind == "list":
        return [_feature(field.children[0])]  # the notation that every release of datasets reads
    return datasets.Value("string" if field.kind == "string" else "int64")


def _walk(field: Field, path: str) -> Iterator[tuple[str, Field]]:
    for child in field.children:
        child_path = f"{path}.{child.name}" if path and child.name else path + child.name
        if child.name:
            yield child_path, child
        yield from _walk(child, f"{child_path}[]" if child.kind == "list" else child_path)
