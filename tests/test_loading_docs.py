"""``docs/loading.md``: its snippets run and give the rows of the JSONL; what it warns of is still so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pytest
from conftest import ROOT

from compat.snippets import HELPER, read_snippets
from pipeline.reading import drop_absent, read_rows
from pipeline.resources import load_schema

PAGE = (ROOT / "docs" / "loading.md").read_text(encoding="utf-8")
SNIPPETS = read_snippets(PAGE)


def run_snippet(heading: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(SNIPPETS[HELPER] + SNIPPETS[heading], names)
    return names


def test_the_page_has_a_snippet_for_every_way() -> None:
    assert set(SNIPPETS) == {HELPER, "datasets", "polars", "duckdb", "pandas", "Plain JSONL"}


@pytest.mark.parametrize("heading", ["datasets", "pandas", "Plain JSONL"])
def test_a_snippet_gives_the_rows(
    heading: str, small_release: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    monkeypatch.chdir(small_release)
    rows = run_snippet(heading)["rows"]
    wanted = list(read_rows(small_release, "worlds", "en"))
    assert [json.dumps(row) for row in rows] == [json.dumps(row) for row in wanted]


def test_the_helper_is_three_lines_and_the_projects_own_rule() -> None:
    lines = SNIPPETS[HELPER].splitlines()[1:]
    assert len(lines) == 3
    value = {"a": None, "b": [{"c": None, "d": "", "e": []}, {"c": "x", "d": None}], "f": 0}
    dropped = run_snippet(HELPER)["drop_absent"](value)
    assert dropped == drop_absent(value) == {"b": [{"d": "", "e": []}, {"c": "x"}], "f": 0}


@pytest.mark.parametrize("streaming", [False, True], ids=["plain", "streaming"])
def test_load_dataset_json_still_rewrites_dates_declared_as_string(
    streaming: bool, small_release: Path, tmp_path: Path
) -> None:
    """When this fails, datasets reads JSONL faithfully: correct docs/loading.md and the design."""
    features = load_schema("closebench", "worlds").features
    loaded = datasets.load_dataset(
        "json",
        data_files=str(small_release / "data" / "worlds-en.jsonl"),
        features=features,
        split="train",
        streaming=streaming,
        cache_dir=str(tmp_path),
    )
    row = next(iter(loaded))
    written = next(read_rows(small_release, "worlds", "en"))
    assert written["period"] == {"start": "2026-11-01", "end": "2026-11-30"}
    assert row["period"] == {"start": "2026-11-01 00:00:00", "end": "2026-11-30 00:00:00"}
    assert row["entries"][0]["date"] == written["entries"][0]["date"] + " 00:00:00"


def test_undeclared_dates_become_timestamps(small_release: Path, tmp_path: Path) -> None:
    path = str(small_release / "data" / "truth-en.jsonl")
    loaded = datasets.load_dataset("json", data_files=path, split="train", cache_dir=str(tmp_path))
    assert not isinstance(loaded[0]["errors"][0]["fix"]["period"][0], str)
