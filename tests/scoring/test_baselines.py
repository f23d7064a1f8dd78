"""``closebench-hub baselines`` and the committed figures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Outcome, contents

from pipeline import resources
from pipeline.build.assemble import BuildRequest, build_release
from pipeline.families import FAMILIES, get_family
from pipeline.families.base import Family
from pipeline.scoring.baselines import EMPTY, ORACLE, differences
from pipeline.scoring.measured import read_measured, write_measured

Hub = Callable[..., Outcome]

CHEAP = ("accounting_assistant", "reconcile_ledger")


@pytest.fixture
def cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the card folders, to write in."""
    copy = tmp_path / "dataset_card"
    for name in FAMILIES:
        (copy / name).mkdir(parents=True)
        shutil.copy(resources.card_folder(name) / "measured.json", copy / name)
    monkeypatch.setattr(resources, "card_folder", lambda family: copy / family)
    return copy


def test_the_committed_baselines_are_those_measured(hub: Hub) -> None:
    outcome = hub("baselines", *CHEAP, "--check")
    assert (outcome.code, outcome.out) == (0, "")
    assert len(outcome.err.splitlines()) == len(CHEAP)


@pytest.mark.parametrize("name", FAMILIES)
def test_committed_baselines_have_a_floor_of_zero_and_a_ceiling_of_one(name: str) -> None:
    family = get_family(name)
    baselines = read_measured(name)["baselines"]
    assert baselines["data_version"] == family.data_version
    assert tuple(baselines["graders"]) == family.graders
    empty = [row for row in baselines["rows"] if row["answer"] == EMPTY]
    oracle = [row for row in baselines["rows"] if row["answer"] == ORACLE]
    assert len(empty) == len(oracle) > 0
    assert all((row["mean"], row["max"], row["passes"]) == (0.0, 0.0, 0) for row in empty)
    assert all((row["mean"], row["max"], row["passes"]) == (1.0, 1.0, row["rows"]) for row in oracle)


def test_the_constant_entry_shows_the_hole_of_the_published_grader() -> None:
    expected = {
        ("1-50", "constant entry x5"): (0.676, 0),
        ("1-50", "constant entry x8"): (0.918, 18),
        ("1001-1050", "constant entry x5"): (0.915, 18),
        ("1001-1050", "constant entry x8"): (0.700, 0),
    }
    rows = [row for row in read_measured("closebench")["baselines"]["rows"] if row["answer"].startswith("constant")]
    for split in ("en", "ru"):
        published = {
            (row["seeds"], row["answer"]): (round(row["mean"], 3), row["passes"])
            for row in rows
            if (row["split"], row["grader"]) == (split, "published")
        }
        assert {key: published[key] for key in expected} == expected
    assert all((row["mean"], row["max"]) == (0.0, 0.0) for row in rows if row["grader"] == "strict")


def test_the_lazy_floor_is_low() -> None:
    rows = read_measured("accounting_assistant")["baselines"]["rows"]
    together = [row for row in rows if (row["split"], row["grader"]) == ("all splits", "exact")]
    lazy = [row for row in together if row["answer"] not in (EMPTY, ORACLE)]
    (floor,) = (row for row in together if row["lazy_floor"])
    assert (len(lazy), floor["rows"]) == (8, 32)
    assert floor["mean"] == max(row["mean"] for row in lazy) <= 0.30
    assert max(row["max"] for row in lazy) <= 0.60


def test_the_table(hub: Hub) -> None:
    outcome = hub("baselines", "reconcile_ledger")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "reconcile_ledger 1.0.0; headline score: exact"
    assert "split test, seeds 1-15: 15 rows" in lines
    assert any(line.split() == ["empty", "0.000", "0.000", "0/15"] for line in lines)
    assert any(line.split() == ["oracle", "1.000", "1.000", "15/15"] for line in lines)
    assert any(line.startswith("lazy floor: ") for line in lines)
    assert all(len(line) <= 100 for line in hub("baselines", *CHEAP).out.splitlines())


def test_drift_is_named(hub: Hub, cards: Path) -> None:
    path = cards / "accounting_assistant" / "measured.json"
    content = json.loads(path.read_bytes())
    (row,) = (
        row
        for row in content["baselines"]["rows"]
        if (row["split"], row["answer"], row["grader"]) == ("eval", "oracle", "exact")
    )
    row["mean"] = 0.5
    path.write_text(json.dumps(content))
    outcome = hub("baselines", "accounting_assistant", "--check")
    assert outcome.code == 1
    assert "eval 9009-9016, oracle, exact: mean: committed 0.5, measured 1.0" in outcome.err
    assert "run: closebench-hub baselines accounting_assistant --write" in outcome.err
    assert hub("baselines", "accounting_assistant", "--write").code == 0
    assert hub("baselines", "accounting_assistant", "--check").code == 0
    assert path.read_bytes() == (resources.root() / "dataset_card/accounting_assistant/measured.json").read_bytes()


def test_a_missing_or_damaged_file_is_drift(hub: Hub, cards: Path) -> None:
    path = cards / "reconcile_ledger" / "measured.json"
    path.unlink()
    outcome = hub("baselines", "reconcile_ledger", "--check")
    assert outcome.code == 1
    assert "there are no committed baselines" in outcome.err
    for damaged in ("{", "[]"):
        path.write_text(damaged)
        assert hub("baselines", "reconcile_ledger", "--check").code == 1
        assert hub("baselines", "reconcile_ledger", "--write").code == 1
        assert path.read_text() == damaged


def test_other_measured_figures_are_kept(cards: Path) -> None:
    write_measured("reconcile_ledger", "audit", {"b": 1, "a": "ü"})
    before = read_measured("reconcile_ledger")
    write_measured("reconcile_ledger", "baselines", {})
    assert read_measured("reconcile_ledger") == {**before, "baselines": {}}
    assert "ü" in (cards / "reconcile_ledger" / "measured.json").read_text(encoding="utf-8")


def test_a_folder_gives_the_figures_of_its_rows(hub: Hub, tmp_path: Path) -> None:
    folder = build_release(BuildRequest("accounting_assistant", tmp_path, engine="serial"))[0]
    before = contents(folder)
    from_folder = json.loads(hub("baselines", folder, "--json").out)
    assert from_folder == json.loads(hub("baselines", "accounting_assistant", "--json").out)
    assert contents(folder) == before


def test_wrong_usage(hub: Hub, small_release: Path) -> None:
    assert hub("baselines", "nobody").code == 2
    assert hub("baselines", "reconcile_ledger", "--write", "--check").code == 2
    assert hub("baselines", small_release, "--write").code == 2
    assert hub("baselines", small_release, "--check").code == 2
    assert hub("baselines", "no/folder").code == 3


def test_a_family_has_no_lazy_answer_unless_it_says_so() -> None:
    assert Family.lazy_answers(get_family("closebench"), {}) == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_lazy_answers_have_the_same_names_for_every_row(name: str) -> None:
    family = get_family(name)
    named = [
        list(family.lazy_answers(family.generate(split, seed).public))
        for split in family.splits
        for seed in list(family.default_seeds[split])[:3]
    ]
    assert named[0]
    assert all(names == named[0] for names in named)
    assert not {EMPTY, ORACLE} & set(named[0])


def test_differences() -> None:
    row = {"split": "en", "seeds": "1", "answer": "empty", "grader": "exact", "mean": 0.0}
    other = {**row, "answer": "oracle", "mean": 1.0}

    def baselines(*rows: Any) -> dict[str, Any]:
        return {"data_version": "1.0.0", "graders": ["exact"], "rows": list(rows)}

    def compare(committed: Any, measured: Any) -> list[str]:
        return list(differences(committed, measured))

    assert compare(baselines(row), baselines(row)) == []
    assert compare(baselines(row), baselines(row, other)) == [
        "en 1, oracle, exact: mean: committed nothing, measured 1.0"
    ]
    assert compare(baselines({**row, "mean": 0.5}), baselines(row)) == [
        "en 1, empty, exact: mean: committed 0.5, measured 0.0"
    ]
    assert compare(baselines(other, row), baselines(row, other)) == ["the rows stand in another order"]
    assert compare({**baselines(row), "data_version": "0"}, baselines(row)) == [
        "data version: committed '0', measured '1.0.0'"
    ]
    for committed in (None, [], {}, {**baselines(), "rows": {}}, baselines(5), baselines({}), {**baselines(), "x": 1}):
        assert len(compare(committed, baselines(row))) == 1


def test_a_folder_that_is_no_release(hub: Hub, tmp_path: Path) -> None:
    outcome = hub("baselines", f"{tmp_path}/")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"error: {tmp_path} is no release folder")
    assert outcome.err.count("\n") == 1
