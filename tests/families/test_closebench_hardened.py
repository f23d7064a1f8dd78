"""The rows of closebench_hardened: golden, determinism, origin, order, books, both languages."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson
import pytest

import pipeline
from pipeline import resources
from pipeline.errors import UsageError
from pipeline.families.base import Item, Row
from pipeline.families.closebench.package import load
from pipeline.families.closebench_hardened import _SOURCES, FAMILY
from pipeline.families.closebench_hardened.generate import _first_effective
from pipeline.families.closebench_hardened.keys import EDITION, package_seed

HARDENED = FAMILY()
ROOT = Path(pipeline.__file__).parents[1]
Items = dict[str, list[Item]]

GOLDEN = {
    "worlds-hard_en": "9a9f1a8fa6bcd2de862cb057f5a1980b9c831e66c7332985d785f54214c035f8",
    "truth-hard_en": "d9835197e0b6fb52c056f916ce5775516ef6bf5c6cc5060d7648e7714a0ebad5",
    "worlds-hard_ru": "f188295802301041247886c9fbc03648055b1bf9cfed228734c0ffeb871c4c10",
    "truth-hard_ru": "79f5e3477c195536de35f620f500dbaa6d1005da472d40ed028453cf31ab3965",
    "worlds-absence_en": "5b4c3cde20b5f7dea10db3dc7f9af8e2a17b70429b39755d596ee832d89303c5",
    "truth-absence_en": "5525f4ad2aaa9b19702d2f735fb9dcc09c02381506e036d3426825b72b1169f3",
    "worlds-absence_ru": "9fb0e2751723cf1f0f2438141115be1a76b8a83269d499f3446102ec5856234b",
    "truth-absence_ru": "ac76ad17f631d16fa1fbe76f5e85abdc20e7b9e1c3c29f24901759b31fd4ef5c",
}
"""SHA-256 of the canonical JSONL of the published rows. They change with the data version alone."""


@pytest.fixture(scope="module")
def published() -> Items:
    return {
        split: [HARDENED.generate(split, seed) for seed in HARDENED.default_seeds[split]]
        for split in FAMILY.default_seeds
    }


def every(published: Items) -> list[Item]:
    return [item for items in published.values() for item in items]


def cents(amount: str) -> int:
    return int(Decimal(amount) * 100)


def test_published_rows_are_those_of_this_data_version(published: Items) -> None:
    assert HARDENED.data_version == "1.0.0"
    found = {}
    for split, items in published.items():
        for config, rows in (("worlds", [i.public for i in items]), ("truth", [i.truth for i in items])):
            found[f"{config}-{split}"] = hashlib.sha256(b"".join(orjson.dumps(row) + b"\n" for row in rows)).hexdigest()
    assert found == GOLDEN


def test_there_are_200_worlds_of_each_difficulty_in_each_language(published: Items) -> None:
    assert {split: len(items) for split, items in published.items()} == dict.fromkeys(FAMILY.default_seeds, 200)
    ids = [HARDENED.row_id(item.public) for item in every(published)]
    assert len(set(ids)) == 800
    assert len({row_id[3:] for row_id in ids}) == 400
    assert len({(item.truth["lang"], item.truth["seed"]) for item in every(published)}) == 800


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_rows_depend_on_no_hash_seed_locale_or_time_zone(hash_seed: str) -> None:
    code = (
        "import hashlib, json; from pipeline.families.closebench_hardened import FAMILY; f = FAMILY()\n"
        "items = [f.generate(s, k) for s in ('hard_en', 'absence_ru') for k in (1, 2, 'a secret')]\n"
        "print(hashlib.sha256(json.dumps([[i.public, i.truth] for i in items]).encode()).hexdigest())"
    )
    surroundings = {"PYTHONHASHSEED": hash_seed, "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | surroundings, capture_output=True, text=True, check=True
    )
    items = [HARDENED.generate(s, k) for s in ("hard_en", "absence_ru") for k in (1, 2, "a secret")]
    rows = json.dumps([[item.public, item.truth] for item in items])
    assert result.stdout.strip() == hashlib.sha256(rows.encode()).hexdigest()


def test_the_source_digest_covers_every_module_that_sets_rows() -> None:
    code = (
        "import sys; import pipeline.families.closebench_hardened.generate\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('pipeline.families.')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    mine = {Path(name) for name in result.stdout.split() if "closebench_hardened" in name}
    not_rows = {"__init__.py", "grade.py"}
    assert {path for path in mine if path.name not in not_rows} == {path for path in _SOURCES if path in mine}


def test_rows_fit_their_schemas_in_the_order_of_their_keys(published: Items) -> None:
    worlds, truth = (resources.load_schema("closebench_hardened", config) for config in HARDENED.configs)
    for item in every(published):
        worlds.validate(item.public, "worlds")
        truth.validate(item.truth, "truth")
        assert list(item.public) == [field.name for field in worlds.root.children]
        assert list(item.truth) == [field.name for field in truth.root.children]
    for schema in (worlds, truth):
        assert all(field.description for _, field in schema.fields())


def test_the_truth_is_what_closebench_plants_for_its_seed(published: Items) -> None:
    world_class = load().world.World
    for item in published["hard_en"][:40] + published["absence_ru"][:40]:
        truth = item.truth
        assert truth["seed"] == package_seed(truth["mode"], truth["draw"], truth["key"])
        world = world_class(int(truth["seed"], 16), truth["lang"], truth["mode"]).build()
        assert [error["kind"] for error in truth["errors"]] == [error.kind for error in world.errors]
        for error, planted in zip(truth["errors"], world.errors, strict=True):
            assert {**error["fix"], "amount": cents(error["fix"]["amount"])} == {
                **planted.fix,
                "amount": cents(planted.fix["amount"]),
            }


def test_no_planted_error_is_without_effect(published: Items) -> None:
    for item in every(published):
        assert all(cents(error["fix"]["amount"]) > 0 for error in item.truth["errors"])
        assert all(error["amount"] == error["fix"]["amount"] for error in item.truth["errors"])
    assert any(item.truth["draw"] for item in every(published))


def test_a_world_is_passed_over_only_for_an_error_without_effect(published: Items) -> None:
    world_class = load().world.World
    for item in published["hard_en"] + published["absence_en"]:
        for draw in range(item.truth["draw"]):
            seed = int(package_seed(item.truth["mode"], draw, item.truth["key"]), 16)
            errors = world_class(seed, "en", item.truth["mode"]).build().errors
            assert any(cents(error.amount) == 0 for error in errors)


def test_the_order_is_canonical_and_without_ties(published: Items) -> None:
    for item in every(published):
        entries, documents = item.public["entries"], item.public["documents"]
        places = [
            (e["date"], e["ref"], [(line["account"], line["debit"], line["credit"]) for line in e["lines"]])
            for e in entries
        ]
        assert places == sorted(places)
        assert len({str(place) for place in places}) == len(places)
        assert [entry["eid"] for entry in entries] == [f"JE{n:05d}" for n in range(1, len(entries) + 1)]
        names = [(document["date"], document["doc_id"]) for document in documents]
        assert names == sorted(set(names))


def test_errors_name_the_entries_that_they_are_about(published: Items) -> None:
    ref = {
        "duplicate_invoice": "AUD-114",
        "capex_expensed": "HW-7781",
        "prepaid_not_deferred": "SW-900",
        "revenue_cutoff": "ADV-51",
        "misclassified_expense": "AR-77",
        "fx_revaluation": "NW-2210",
        "depreciation_prorata": "ML-330",
        "service_span_cutoff": "QB-88",
    }
    for item in every(published):
        entries = {entry["eid"]: entry for entry in item.public["entries"]}
        for error in item.truth["errors"]:
            about = [entries[eid] for eid in error["entry_ids"]]
            assert {entry["ref"] for entry in about} == ({ref[error["kind"]]} if error["kind"] in ref else set())
            assert re.findall(r"JE\d{5}", error["description"]) in ([], error["entry_ids"])


def test_every_entry_balances_and_cash_and_inventory_never_run_out(published: Items) -> None:
    for item in every(published):
        balance: Counter[str] = Counter()
        for _, day in groupby(item.public["entries"], lambda entry: entry["date"]):
            for entry in day:
                for line in entry["lines"]:
                    balance[line["account"]] += cents(line["debit"]) - cents(line["credit"])
                assert sum(balance.values()) == 0
            assert balance["1000"] >= 0
            assert balance["1200"] >= 0


def test_the_bank_balance_differs_from_the_ledger_by_an_unrecorded_fee_alone(published: Items) -> None:
    for item in every(published):
        lines = [line for entry in item.public["entries"] for line in entry["lines"] if line["account"] == "1000"]
        ledger = sum(cents(line["debit"]) - cents(line["credit"]) for line in lines)
        body = next(d["body"] for d in item.public["documents"] if d["kind"] == "bank_statement")
        balance, fee = map(cents, re.findall(r"\d+\.\d\d", body))
        planted = any(error["kind"] == "unrecorded_bank_fee" for error in item.truth["errors"])
        assert ledger - balance == (fee if planted else 0)
        assert fee > 0


def numbers(row: Row) -> list[Any]:
    """Return every date and amount of a row's texts, which `parallel_view` leaves out."""
    texts = [document["body"] for document in row["documents"]]
    return [re.findall(r"\d{4}-\d\d-\d\d|\d+\.\d\d(?!\d)", text) for text in texts]


def test_both_languages_have_every_number_in_common(published: Items) -> None:
    for mode in ("hard", "absence"):
        for english, russian in zip(published[f"{mode}_en"], published[f"{mode}_ru"], strict=True):
            assert HARDENED.parallel_view(english) == HARDENED.parallel_view(russian)
            assert numbers(english.public) == numbers(russian.public)
            assert english.public["id"][3:] == russian.public["id"][3:]


def test_a_public_row_tells_neither_index_nor_seed_nor_mode(published: Items) -> None:
    """By construction: the number enters a row through SHA-256 of the key alone."""
    for item in every(published):
        assert list(item.public) == ["id", "lang", "company", "period", "accounts", "entries", "documents"]
        text = orjson.dumps(item.public).decode()
        assert item.truth["key"] not in text
        assert item.truth["seed"] not in text
    # The number and the same number in another edition share nothing.
    public, secret = (HARDENED.generate("hard_en", key) for key in (7, "another text/7"))
    assert public.public["id"] != secret.public["id"]
    assert public.public["entries"] != secret.public["entries"]
    # Documents and their order are the same in every world, so that they tell no mode either.
    assert len({tuple(d["doc_id"] for d in item.public["documents"]) for item in every(published)}) == 1


def test_a_number_is_the_published_text_with_it() -> None:
    assert HARDENED.generate("hard_en", 7) == HARDENED.generate("hard_en", f"{EDITION}/7")
    assert HARDENED.generate("hard_en", 7).truth["key"] == f"{EDITION}/7"


@pytest.mark.parametrize("key", [-1, 2**63, "", "\ud800"])
def test_what_is_no_key_is_refused(key: int | str) -> None:
    with pytest.raises(UsageError):
        HARDENED.generate("hard_en", key)


@pytest.mark.parametrize("split", ["en", "hard", "hard_de", "HARD_en", ""])
def test_what_is_no_split_is_refused(split: str) -> None:
    with pytest.raises(UsageError, match="has no split"):
        HARDENED.generate(split, 1)


def test_an_error_without_effect_is_drawn_again() -> None:
    found = [(n, *_first_effective(load(), "absence", "en", f"phantom/{n}")) for n in range(60)]
    assert any(draw for _, draw, _ in found)
    for _, _, world in found:
        assert all(cents(error.amount) for error in world.errors)
