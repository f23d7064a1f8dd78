"""One schema, every rendering: they agree with one another for any row that could be."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline import resources
from pipeline.build.encode import PARQUET_OPTIONS, canonical_line, to_table
from pipeline.errors import CannotRun, RowInvalid
from pipeline.families import FAMILIES, get_family
from pipeline.reading import drop_absent, read_rows
from pipeline.schema import Field, Schema

CONFIGS = [(name, config) for name in FAMILIES for config in get_family(name).configs]
SAMPLE = Schema(
    "sample/rows",
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["seed", "text", "list", "inner"],
        "properties": {
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/pair"}},
            "inner": {
                "type": "object",
                "additionalProperties": False,
                "required": [],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            },
        },
        "$defs": {
            "pair": {
                "type": "object",
                "additionalProperties": False,
                "required": ["words"],
                "properties": {"words": {"type": "array", "items": {"type": "string"}}, "note": {"type": "string"}},
            }
        },
    },
)
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(["2024-03-31", "2024-03-31T00:00:00", "12:00", "1", "1.50", "true", "null", "NaN", "", "\x00"]),
)
ROWS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**63 - 1),
        "text": TEXT,
        "list": st.lists(
            st.fixed_dictionaries({"words": st.lists(TEXT, max_size=3)}, optional={"note": TEXT}), max_size=3
        ),
        "inner": st.fixed_dictionaries({}, optional={"a": TEXT, "b": TEXT}),
    }
)


def in_schema_order(value: Any, field: Field) -> Any:
    """Return a row with its keys in the order of the schema, as every generator writes them."""
    if field.kind == "struct":
        return {
            child.name: in_schema_order(value[child.name], child) for child in field.children if child.name in value
        }
    return [in_schema_order(item, field.children[0]) for item in value] if field.kind == "list" else value


def walk(value: Any, field: Field) -> Iterator[tuple[Any, Field]]:
    """Yield every object of a row with the field that describes it."""
    if field.kind == "struct":
        yield value, field
        for child in field.children:
            if child.name in value:
                yield from walk(value[child.name], child)
    elif field.kind == "list":
        for item in value:
            yield from walk(item, field.children[0])


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_parquet_gives_the_canonical_lines_back(rows: list[dict[str, Any]]) -> None:
    lines = []
    for row in (in_schema_order(row, SAMPLE.root) for row in rows):
        SAMPLE.validate(row, "a row")
        lines.append(canonical_line(row, "a row"))
        assert lines[-1] == json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    table = to_table(lines, SAMPLE.arrow, "rows")
    assert table.schema == SAMPLE.arrow
    file = io.BytesIO()
    pq.write_table(table, file, **PARQUET_OPTIONS)
    back = pq.read_table(file)
    assert back.schema.equals(SAMPLE.arrow, check_metadata=True)
    assert back.schema.types == SAMPLE.arrow.types
    assert [canonical_line(drop_absent(row), "a row") for row in back.to_pylist()] == lines


@given(ROWS, st.data())
def test_whatever_is_not_a_row_is_refused(row: dict[str, Any], data: st.DataObject) -> None:
    objects = [(value, field) for value, field in walk(row, SAMPLE.root) if isinstance(value, dict)]
    value, field = data.draw(st.sampled_from(objects))
    change = data.draw(st.sampled_from(["unknown", "missing", "null", "number"]))
    if change == "unknown":
        value["surprise"] = "x"
    elif change == "missing":
        required = [child.name for child in field.children if child.required]
        assume(required)
        del value[data.draw(st.sampled_from(required))]
    else:
        assume(value)
        value[data.draw(st.sampled_from(sorted(value)))] = None if change == "null" else 1.5
    with pytest.raises(RowInvalid) as refusal:
        SAMPLE.validate(row, "sample seed 7")
    assert "sample seed 7: " in str(refusal.value)
    assert "schemas/sample/rows.json#/" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_refusal_names_path_value_and_rule() -> None:
    schema = resources.load_schema("closebench", "worlds")
    item = get_family("closebench").generate("en", 1)
    row = copy.deepcopy(item.public)
    row["entries"][3]["lines"][1]["debit"] = "7800.0"
    with pytest.raises(RowInvalid) as refusal:
        schema.validate(row, "closebench worlds/en seed 1")
    for part in ("entries[3].lines[1].debit", '"7800.0"', r"[0-9]{2}$", "closebench worlds/en seed 1"):
        assert part in str(refusal.value)


def test_a_refusal_of_a_huge_value_stays_short() -> None:
    with pytest.raises(RowInvalid) as refusal:
        SAMPLE.validate({"seed": 1, "text": ["x" * 100_000], "list": [], "inner": {}}, "a row")
    assert len(str(refusal.value)) < 800


@pytest.mark.parametrize("row", [{"text": "\ud800"}, {"seed": 2**70}])
def test_what_utf8_or_64_bits_cannot_hold_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(RowInvalid, match="cannot be written as JSON"):
        canonical_line(row, "a row")


def test_an_unknown_key_is_refused_by_the_table_too() -> None:
    with pytest.raises(RowInvalid, match="do not fit"):
        to_table([b'{"seed":1,"text":"","list":[],"inner":{"c":"x"}}\n'], SAMPLE.arrow, "rows")


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_schemas_are_closed_described_and_without_times(name: str, config: str) -> None:
    schema = resources.load_schema(name, config)
    assert schema.root.description
    for path, field in schema.fields():
        assert field.description.endswith("."), f"{path} has no sentence"
    for arrow_type in schema.arrow.types:
        assert "timestamp" not in str(arrow_type)
        assert "double" not in str(arrow_type)
        assert "null" not in str(arrow_type)
    text = json.loads(resources.schema_path(name, config).read_text())
    assert list(text["properties"]) == text["required"], "every top-level key is required, in order"


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_features_mean_the_same_as_the_arrow_schema(name: str, config: str) -> None:
    schema = resources.load_schema(name, config)
    assert schema.features.arrow_schema.remove_metadata().equals(schema.arrow)


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_the_table_for_people_has_a_row_for_every_field(name: str, config: str) -> None:
    schema = resources.load_schema(name, config)
    assert len(schema.table().splitlines()) == 2 + sum(1 for _ in schema.fields())


@pytest.mark.parametrize("config", ["worlds", "truth"])
def test_keys_stand_in_schema_order(release: Path, config: str) -> None:
    root = resources.load_schema("closebench", config).root
    for split in ("en", "ru"):
        for row in read_rows(release, config, split):
            for value, field in walk(row, root):
                order = [child.name for child in field.children if child.name in value]
                assert list(value) == order


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({"type": "object", "properties": {}}, "additionalProperties"),
        ({"type": "number"}, "not one of object, array, string, integer"),
        ({"type": ["string", "null"]}, "not one of object, array, string, integer"),
        (
            {
                "type": "object",
                "additionalProperties": False,
                "required": [],
                "properties": {"n": {"type": "integer"}},
            },
            "only strings may be optional",
        ),
    ],
)
def test_a_schema_that_goes_further_is_refused(node: dict[str, Any], says: str) -> None:
    with pytest.raises(CannotRun, match=says):
        _ = Schema("x/y", node).root


@given(st.recursive(TEXT, lambda inner: st.dictionaries(TEXT, inner) | st.lists(inner)))
def test_orjson_and_json_write_the_same_bytes(value: Any) -> None:
    assert orjson.dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def test_arrow_strings_stay_strings() -> None:
    assert SAMPLE.arrow.field("text").type == pa.string()
    assert SAMPLE.arrow.field("seed").type == pa.int64()
