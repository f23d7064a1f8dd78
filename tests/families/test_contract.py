"""What every family promises, tested for every family and split in the registry."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from typing import Any

import pytest

from pipeline import resources
from pipeline.families import FAMILIES, get_family
from pipeline.families.base import TRUTH, Item
from pipeline.families.leaks import leaked_texts
from pipeline.pins import read_pin, read_row_pins

SPLITS = [(name, split) for name in FAMILIES for split in get_family(name).splits]


def items(name: str, split: str, count: int = 8) -> list[Item]:
    """Return the first items of a split."""
    family = get_family(name)
    return [family.generate(split, seed) for seed in itertools.islice(family.default_seeds[split], count)]


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_the_same_seed_gives_the_same_item(name: str, split: str) -> None:
    assert items(name, split) == items(name, split)


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_rows_fit_their_schemas(name: str, split: str) -> None:
    family = get_family(name)
    schemas = [resources.load_schema(name, config) for config in family.configs]
    for item in items(name, split):
        for schema, row in zip(schemas, (item.public, item.truth), strict=True):
            schema.validate(row, name)


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_the_oracle_scores_one_and_an_empty_answer_zero(name: str, split: str) -> None:
    family = get_family(name)
    for item in items(name, split):
        for grader in family.graders:
            grade = family.grade(item, family.oracle(item, grader))[grader]
            assert (grade.score, grade.passed, grade.error) == (1.0, True, None)
        empty = family.grade(item, family.empty_answer)
        assert list(empty) == list(family.graders)
        for grade in empty.values():
            assert (grade.score, grade.passed) == (0.0, False)
            assert grade.error
            json.dumps(dict(grade.parts))


@pytest.mark.parametrize(
    "answer", ["", " ", "null", "[]", "{}", "0", '"x"', "[[[", "\x00", "\ud800", "[" * 100_000, "[1,2]"]
)
@pytest.mark.parametrize("name", FAMILIES)
def test_grading_never_raises(name: str, answer: str) -> None:
    family = get_family(name)
    item = items(name, family.splits[0], 1)[0]
    for grade in family.grade(item, answer).values():
        assert grade.score == 0.0
        assert not grade.passed
        assert grade.error
        assert "\n" not in grade.error


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_no_secret_text_stands_in_a_public_row(name: str, split: str) -> None:
    family = get_family(name)
    for item in items(name, split):
        assert list(family.secret_texts(item))
        assert leaked_texts(family, item) == []


def plant(value: Any, text: str) -> Any:
    """Return a copy of a row with a text appended to its last string."""
    if isinstance(value, str):
        return f"{value} {text}"
    if isinstance(value, list):
        return [*value[:-1], plant(value[-1], text)]
    if isinstance(value, dict) and value:
        key = [key for key, item in value.items() if item or isinstance(item, str)][-1]
        return {**value, key: plant(value[key], text)}
    return value


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_a_planted_leak_is_caught(name: str, split: str) -> None:
    family = get_family(name)
    item = items(name, split, 1)[0]
    for text in family.secret_texts(item):
        leaking = dataclasses.replace(item, public=plant(item.public, text))
        assert leaking.public != item.public
        assert text in leaked_texts(family, leaking)


@pytest.mark.parametrize("name", FAMILIES)
def test_row_ids_pair_the_rows_and_name_them_once(name: str) -> None:
    family = get_family(name)
    names: list[str] = []
    for split in family.splits:
        for item in items(name, split):
            assert family.row_id(item.public) == family.row_id(item.truth)
            names.append(family.row_id(item.public))
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", FAMILIES)
def test_splits_share_no_seed_unless_they_are_parallel(name: str) -> None:
    family = get_family(name)
    for pair in itertools.combinations(family.splits, 2):
        one, other = (set(family.default_seeds[split]) for split in pair)
        assert bool(one & other) == family.are_parallel(pair)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_all_its_parts(name: str) -> None:
    family = get_family(name)
    assert family.name == name
    assert family.title
    assert family.configs == (family.public_config, TRUTH)
    assert {f"{config}-{split}.jsonl" for config in family.configs for split in family.splits} == set(read_pin(family))
    rows = sum(seeds.count for seeds in family.default_seeds.values()) * len(family.configs)
    assert len(read_row_pins(family)) == rows
    assert "LICENSE" in resources.shipped_files(family)
    for config in family.configs:
        assert resources.load_schema(name, config).root.children
    for word in (family.data_version, *family.splits, *family.configs):
        assert re.fullmatch(r"[a-z0-9_.]+", word)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_generator_is_described(name: str) -> None:
    generator = get_family(name).generator()
    assert generator.package
    assert generator.version
    assert len(generator.source_sha256) == 64
