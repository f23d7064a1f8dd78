"""Rows come back from every format as generated, and a world from its rows as built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest

from pipeline.errors import CannotRun
from pipeline.families import get_family
from pipeline.families.closebench.package import load
from pipeline.reading import drop_absent, gradeable_world, read_jsonl, read_parquet, read_rows

CONFIGS = ("worlds", "truth")
SPLITS = ("en", "ru")


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("split", SPLITS)
def test_both_formats_give_the_generators_rows(release: Path, config: str, split: str) -> None:
    family = get_family("closebench")
    from_jsonl = list(read_jsonl(release / "data" / f"{config}-{split}.jsonl"))
    from_parquet = list(read_parquet(release / config / f"{split}-00000-of-00001.parquet"))
    assert from_jsonl == from_parquet
    for row in from_jsonl[::10]:
        item = family.generate(split, row["seed"])
        assert row == (item.public if config == "worlds" else item.truth)


def strings(value: Any) -> Iterator[Any]:
    """Yield every leaf of a row."""
    if isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    else:
        yield value


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("split", SPLITS)
def test_load_dataset_gives_the_same_rows(
    release: Path, tmp_path: Path, config: str, split: str, streaming: bool
) -> None:
    loaded = datasets.load_dataset(
        "parquet",
        data_files={split: str(release / config / f"{split}-*.parquet")},
        split=split,
        streaming=streaming,
        cache_dir=str(tmp_path),
    )
    assert "timestamp" not in str(loaded.features)
    rows = [drop_absent(row) for row in loaded]
    assert rows == list(read_rows(release, config, split))
    assert {type(leaf) for row in rows for leaf in strings(row)} == {str, int}


@pytest.fixture(scope="module")
def loaded(release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The English rows through load_dataset from Parquet."""
    cache = str(tmp_path_factory.mktemp("cache"))
    return {
        config: datasets.load_dataset(
            "parquet", data_files=str(release / config / "en-*.parquet"), split="train", cache_dir=cache
        )
        for config in CONFIGS
    }


def test_the_published_example_runs_on_loaded_rows(loaded: dict[str, Any]) -> None:
    package = load()
    world = gradeable_world(loaded["worlds"][0], loaded["truth"][0])
    agent = package.tools.Session(world)
    lines = [{"account": "1500", "debit": "85000.00"}, {"account": "6900", "credit": "85000.00"}]
    agent.post_entry("2026-11-30", "capitalise equipment", lines)
    assert package.grader.grade(world, agent) == {
        "passed": False,
        "score": 0.143,
        "found": ["E3"],
        "partial": [],
        "missed": ["E2", "E8", "E9", "E12", "E13", "E14"],
        "spurious_entries": [],
        "tb_balanced": True,
        "adjustments_posted": 1,
        "tool_calls": 1,
    }


@pytest.mark.parametrize("split", SPLITS)
def test_a_rebuilt_world_reads_like_a_replayed_one(release: Path, split: str) -> None:
    package = load()
    worlds = read_parquet(release / "worlds" / f"{split}-00000-of-00001.parquet")
    for public, truth in zip(worlds, read_rows(release, "truth", split), strict=True):
        rebuilt = gradeable_world(public, truth)
        replayed = package.world.World(seed=public["seed"], lang=split, difficulty=public["mode"]).build()
        agents = package.tools.Session(rebuilt), package.tools.Session(replayed)
        for document in replayed.documents:
            texts = [agent.read_document(document.doc_id) for agent in agents]
            assert texts[0] == texts[1]
        for tool in ("chart_of_accounts", "trial_balance", "list_documents", "pnl"):
            texts = [getattr(agent, tool)() for agent in agents]
            assert texts[0] == texts[1]
        texts = [agent.journal("2026-01-01", "2026-11-30") for agent in agents]
        assert texts[0] == texts[1]
        assert rebuilt.errors == replayed.errors


def test_damaged_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b'{"a":1}\n{"a":\n')
    with pytest.raises(CannotRun, match=re.escape(f"{tmp_path / 'bad.jsonl'} line 2 is no JSON")):
        list(read_jsonl(tmp_path / "bad.jsonl"))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(CannotRun, match="cannot be read as Parquet"):
        list(read_parquet(tmp_path / "bad.parquet"))
    with pytest.raises(CannotRun, match="no rows of worlds/en"):
        list(read_rows(tmp_path, "worlds", "en"))
