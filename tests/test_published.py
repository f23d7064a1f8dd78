"""What the published card says of the data, recomputed from the data."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from pipeline.reading import read_rows

PUBLISHED = {
    "worlds-en.jsonl": "68a76532552584d445f365603823e4f98336c30227050e79c44fcaeb7e9f7b07",
    "worlds-ru.jsonl": "2a758aac55628dfe0e36943b66b42d420dccd1da79b45f73424ca7d4b7d5f2f4",
    "truth-en.jsonl": "b4e8f5410f6bd62f6ed4cb3cecb8f696d2b2c762125263bcfffba5052296780e",
    "truth-ru.jsonl": "c340bcd9e7a89e624260feb80f27ef4162e9b9f0d1ca45529fcfc764e5a9e26f",
}
KINDS = {
    "prepaid_amort_stopped": 68,
    "accrual_not_released": 64,
    "missing_recurring": 62,
    "depreciation_stopped": 62,
    "inventory_receipt_gap": 62,
    "payroll_cutoff": 61,
    "revenue_cutoff": 29,
    "capex_expensed": 26,
    "service_span_cutoff": 25,
    "depreciation_prorata": 25,
    "prepaid_not_deferred": 24,
    "duplicate_invoice": 22,
    "unrecorded_invoice": 21,
    "unrecorded_bank_fee": 21,
    "intercompany_mismatch": 21,
    "fx_revaluation": 18,
    "misclassified_expense": 15,
}


@pytest.fixture(scope="module")
def rows(release: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    return {
        (config, split): list(read_rows(release, config, split))
        for config in ("worlds", "truth")
        for split in ("en", "ru")
    }


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_four_published_hashes(release: Path, name: str) -> None:
    assert hashlib.sha256((release / "data" / name).read_bytes()).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("split", ["en", "ru"])
def test_counts_of_worlds(rows: dict[tuple[str, str], list[dict[str, Any]]], split: str) -> None:
    worlds, truths = rows["worlds", split], rows["truth", split]
    assert [world["seed"] for world in worlds] == [*range(1, 51), *range(1001, 1051)]
    assert [world["seed"] for world in worlds] == [truth["seed"] for truth in truths]
    for mode, entries, documents, errors, total in (
        ("hard", range(143, 151), 27, range(6, 10), 376),
        ("absence", range(141, 145), 24, range(4, 7), 250),
    ):
        mine = [world for world in worlds if world["mode"] == mode]
        planted = [len(truth["errors"]) for truth in truths if truth["mode"] == mode]
        assert len(mine) == 50
        assert {len(world["accounts"]) for world in mine} == {26}
        assert {len(world["documents"]) for world in mine} == {documents}
        assert all(len(world["entries"]) in entries for world in mine)
        assert all(count in errors for count in planted)
        assert sum(planted) == total


@pytest.mark.parametrize("split", ["en", "ru"])
def test_frequency_of_each_kind(rows: dict[tuple[str, str], list[dict[str, Any]]], split: str) -> None:
    kinds = Counter(error["kind"] for truth in rows["truth", split] for error in truth["errors"])
    assert kinds == KINDS


TEXTS = {"lang", "company", "name", "memo", "title", "body", "description", "vendor", "customer", "counterparty"}


def without_texts(value: Any) -> Any:
    """Return a row without what is written in its language."""
    if isinstance(value, dict):
        return {key: without_texts(item) for key, item in value.items() if key not in TEXTS}
    return [without_texts(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("config", ["worlds", "truth"])
def test_both_languages_have_the_same_numbers(rows: dict[tuple[str, str], list[dict[str, Any]]], config: str) -> None:
    for en, ru in zip(rows[config, "en"], rows[config, "ru"], strict=True):
        assert without_texts(en) == without_texts(ru)
        assert en != ru


def test_russian_is_written_as_it_is(release: Path) -> None:
    text = (release / "data" / "worlds-ru.jsonl").read_bytes()
    assert "ООО «Ридж»".encode() in text
    assert b"\\u04" not in text


def test_entries_balance_and_lie_in_the_year(rows: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
    for world in chain(rows["worlds", "en"], rows["worlds", "ru"]):
        assert world["period"] == {"start": "2026-11-01", "end": "2026-11-30"}
        for entry in world["entries"]:
            debit, credit = (
                sum(int(line[side].replace(".", "")) for line in entry["lines"]) for side in ("debit", "credit")
            )
            assert debit == credit > 0 or (debit == credit == 0)
            assert "2026-01-01" <= entry["date"] <= "2026-11-30"
