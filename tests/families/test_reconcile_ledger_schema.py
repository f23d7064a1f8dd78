"""The schemas: every row fits, nothing else does, and their order is the order of the rows."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import pipeline
from pipeline.families.reconcile_ledger import FAMILY

FAMILY_OBJECT = FAMILY()
FOLDER = Path(pipeline.__file__).parents[1] / "schemas" / "reconcile_ledger"
SCHEMAS = {config: json.loads((FOLDER / f"{config}.json").read_text("utf-8")) for config in FAMILY_OBJECT.configs}


def row(config: str, seed: int) -> dict[str, Any]:
    item = FAMILY_OBJECT.generate("test", seed)
    return item.truth if config == "truth" else item.public


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in (*node.get("properties", {}).values(), *node.get("$defs", {}).values()):
        yield from nodes(child)
    if "items" in node:
        yield from nodes(node["items"])


@pytest.mark.parametrize("config", SCHEMAS)
def test_rows_fit_and_keys_are_in_order(config: str):
    validator = jsonschema_rs.validator_for(SCHEMAS[config])
    for seed in (*range(16), 99, 100, 2**63 - 1):
        one = row(config, seed)
        validator.validate(one)
        assert list(one) == list(SCHEMAS[config]["properties"])
    pair = SCHEMAS["truth"]["$defs"]["discrepancy"]["properties"]
    assert all(list(found) == list(pair) for found in row("truth", 1)["discrepancies"])


@pytest.mark.parametrize("config", SCHEMAS)
def test_objects_are_closed_and_every_key_is_required_and_described(config: str):
    jsonschema_rs.meta.validate(SCHEMAS[config])
    assert SCHEMAS[config]["title"]
    for node in nodes(SCHEMAS[config]):
        assert "$ref" in node or node["type"] in ("object", "array", "string", "integer")
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
            assert all(child["description"].endswith(".") for child in node["properties"].values())


@pytest.mark.parametrize("config", SCHEMAS)
def test_other_rows_do_not_fit(config: str):
    validator = jsonschema_rs.validator_for(SCHEMAS[config])
    good = row(config, 1)
    for key in good:
        assert not validator.is_valid({name: value for name, value in good.items() if name != key})
        assert not validator.is_valid(good | {key: None})
    for bad in ({"extra": 1}, {"seed": -1}, {"seed": 2**63}, {"seed": 1.5}, {"id": "reconcile-1"}, {"id": "acct-01"}):
        assert not validator.is_valid(good | bad)


def test_other_discrepancies_do_not_fit():
    validator = jsonschema_rs.validator_for(SCHEMAS["truth"])
    good = row("truth", 1)
    for bad in ({"type": "unknown"}, {"txn_id": "BNK-01-0201"}, {"txn_id": "BNK-1-0001"}, {"extra": "x"}):
        one = copy.deepcopy(good)
        one["discrepancies"][0] |= bad
        assert not validator.is_valid(one)
    assert not validator.is_valid(good | {"discrepancies": good["discrepancies"][:11]})
    assert not validator.is_valid(good | {"discrepancies": good["discrepancies"] + [good["discrepancies"][0]]})


def test_the_two_configs_agree_on_what_they_share():
    assert SCHEMAS["scenarios"]["$defs"]["id"] == SCHEMAS["truth"]["$defs"]["id"]
    assert SCHEMAS["scenarios"]["properties"]["seed"] == SCHEMAS["truth"]["properties"]["seed"]
