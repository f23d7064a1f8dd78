"""Grading closebench_hardened, and the script that ships with it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from conftest import ROOT

from pipeline.families.base import Item
from pipeline.families.closebench.package import load
from pipeline.families.closebench.rebuild import rebuild_world
from pipeline.families.closebench_hardened import FAMILY

HARDENED = FAMILY()
SCRIPT = ROOT / "dataset_card" / "closebench_hardened" / "ship" / "verify.py"


def score(item: Item, answer: str) -> float:
    (grade,) = HARDENED.grade(item, answer).values()
    return grade.score


@pytest.mark.parametrize("split", FAMILY.default_seeds)
def test_the_oracle_scores_one_on_every_row_and_nothing_scores_zero(split: str) -> None:
    """All rows in one language; the other has the same numbers, so that a few of it will do."""
    step = 1 if split.endswith("_en") else 20
    for seed in list(HARDENED.default_seeds[split])[::step]:
        item = HARDENED.generate(split, seed)
        grade = HARDENED.grade(item, HARDENED.oracle(item, "strict"))["strict"]
        assert (grade.score, grade.passed, grade.error) == (1.0, True, None)
        assert score(item, "[]") == 0.0


def test_the_constant_entry_scores_zero() -> None:
    items = [
        HARDENED.generate(split, HARDENED.default_seeds[split].at(n)) for split in HARDENED.splits for n in (0, 99)
    ]
    answers = HARDENED.lazy_answers(items[0].public)
    assert list(answers) == ["constant entry x5", "constant entry x8"]
    for answer in answers.values():
        assert [score(item, answer) for item in items] == [0.0] * len(items)


def test_correcting_what_is_right_costs_a_tenth() -> None:
    item = HARDENED.generate("hard_en", 1)
    fixes = json.loads(HARDENED.oracle(item, "strict"))
    amount = next(d["meta"]["amount"] for d in item.public["documents"] if d["doc_id"] == "CS-402")
    lines = [{"account": "2000", "debit": amount}, {"account": "6900", "credit": amount}]
    fixes.append({"date": "2026-11-30", "memo": "no duplicate at all", "lines": lines})
    assert score(item, json.dumps(fixes)) == 0.9


def test_only_the_strict_score_is_given() -> None:
    item = HARDENED.generate("hard_en", 1)
    assert list(HARDENED.grade(item, "no JSON")) == ["strict"]
    assert HARDENED.graders == ("strict",)


def test_the_package_rebuilds_a_world_from_the_rows() -> None:
    package = load()
    for split in HARDENED.splits:
        item = HARDENED.generate(split, HARDENED.default_seeds[split].at(0))
        world = rebuild_world(package, item)
        session = package.tools.Session(world)
        for error in item.truth["errors"]:
            sides = ("debit", "credit")
            legs = [{"account": error["fix"][f"{side}_account"], side: error["fix"]["amount"]} for side in sides]
            session.post_entry(world.period_end, "fix", legs)
        assert package.grader.grade(world, session)["score"] == 1.0
        assert item.public["documents"][-1]["title"] in session.list_documents()


def write_release(folder: Path, splits: dict[str, list[Item]]) -> None:
    """Write as much of a release folder as the script that ships reads."""
    (folder / "data").mkdir()
    for split, items in splits.items():
        for config, rows in (("worlds", [i.public for i in items]), ("truth", [i.truth for i in items])):
            (folder / "data" / f"{config}-{split}.jsonl").write_bytes(b"".join(orjson.dumps(r) + b"\n" for r in rows))
    shutil.copy(SCRIPT, folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}" for path in paths]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n")


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "verify.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def splits() -> dict[str, list[Item]]:
    return {split: [HARDENED.generate(split, key) for key in (1, 2, "a secret")] for split in HARDENED.splits}


def test_the_script_that_ships_finds_nothing_wrong(tmp_path: Path) -> None:
    write_release(tmp_path, splits())
    done = run(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "6 worlds checked, 0 problems"), done.stderr


def test_the_script_that_ships_finds_what_is_wrong(tmp_path: Path) -> None:
    rows = splits()
    rows["hard_en"][0].truth["errors"][0]["fix"]["amount"] = "1.00"
    rows["hard_ru"][1].public["entries"].reverse()
    rows["absence_en"][0].truth["key"] += "0"
    rows["absence_ru"][2].public["entries"][3]["lines"][0]["debit"] = "1.00"
    write_release(tmp_path, rows)
    done = run(tmp_path)
    assert done.returncode == 1, done.stderr
    for problem in ("errors are not those", "canonical order", "id is not that of the key", "does not balance"):
        assert problem in done.stdout


def test_the_script_that_ships_compares_every_file(tmp_path: Path) -> None:
    write_release(tmp_path, splits())
    with (tmp_path / "data" / "truth-hard_en.jsonl").open("ab") as file:
        file.write(b"\n")
    done = run(tmp_path)
    assert done.returncode == 1
    assert "data/truth-hard_en.jsonl: another file" in done.stdout
