"""The constant entry, and the published grader that it fools: faster than the package, and never different."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Outcome
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.families.closebench import Closebench
from pipeline.families.closebench.constant_entry import constant_answer
from pipeline.reading import gradeable_world
from pipeline.seeds import Seeds

FAMILY = Closebench()


def test_the_entry_has_as_many_lines_as_the_specification_counts() -> None:
    (entry,) = json.loads(constant_answer(1))
    assert len(entry["lines"]) == 8360


@pytest.mark.parametrize("seed", [*range(100, 160), *range(2_000, 2_060)])
def test_the_entry_settles_any_one_error(seed: int) -> None:
    (entry,) = json.loads(constant_answer(1))
    debits = {(line["account"], line["debit"]) for line in entry["lines"] if "debit" in line}
    credits = {(line["account"], line["credit"]) for line in entry["lines"] if "credit" in line}
    for error in FAMILY.generate("en", seed).truth["errors"]:
        fix = error["fix"]
        amount = f"{FAMILY.package.ledger.D(fix['amount'])}"
        if amount != "0.00":
            assert (fix["debit_account"], amount) in debits
            assert (fix["credit_account"], amount) in credits


def test_eight_times_fools_the_published_grader_and_not_the_strict_one(
    hub: Callable[..., Outcome], tmp_path: Path
) -> None:
    request = BuildRequest("closebench", tmp_path, splits=("en",), seeds=Seeds.parse("1-50"), engine="serial")
    folder = build_release(request)[0]
    (measured,) = json.loads(hub("baselines", folder, "--json").out)
    rows = {(row["answer"], row["grader"]): row for row in measured["rows"]}
    eight_times = rows["constant entry x8", "published"]
    assert (eight_times["mean"], eight_times["max"], eight_times["passes"]) == (0.91824, 1.0, 18)
    assert rows["constant entry x5", "published"]["mean"] == 0.67572
    assert rows["constant entry x8", "strict"]["max"] == rows["constant entry x5", "strict"]["max"] == 0.0

    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": f"en-{seed}", "answer": constant_answer(8)}) + "\n" for seed in (1, 2, 3))
    )
    outcome = hub("grade", folder, "--answers", answers, "--json")
    assert outcome.code == 0
    scores = json.loads(outcome.out)["splits"]["en"]["scores"]
    assert scores["published"]["answered_rows"]["mean"] > 0.75
    assert scores["strict"]["answered_rows"]["mean"] == 0.0


ITEMS = [FAMILY.generate("en", seed) for seed in (1, 31, 1018)]

amounts = st.sampled_from(["0.01", "7", "12345.67", "1e14", "99999999999999999999999999", "-1", "NaN", "x", "", 5, 0.1])
dates = st.sampled_from(["2026-11-30", "2026-11-01", "2026-10-31", "2026-12-01", "banana", "", None, 5])
lines = st.fixed_dictionaries(
    {"account": st.sampled_from(["1000", "2000", "6000", "6900", "0", None])},
    optional={"debit": amounts, "credit": amounts},
)


def balanced(pair: tuple[str, str, str]) -> list[dict[str, str]]:
    debit, credit, amount = pair
    return [{"account": debit, "debit": amount}, {"account": credit, "credit": amount}]


pairs = st.tuples(
    st.sampled_from(["1000", "2000", "6000"]),
    st.sampled_from(["2000", "6000", "6900"]),
    st.sampled_from(["0.01", "0.04", "1e15", "90000000000000000000000000", "50000"]),
).map(balanced)
strangers = st.fixed_dictionaries(
    {"date": dates, "memo": st.sampled_from(["", None]), "lines": pairs | st.lists(lines, max_size=3) | st.none()}
)


@settings(max_examples=60)
@given(st.data())
def test_the_published_grade_is_the_packages_own(data: st.DataObject) -> None:
    item = data.draw(st.sampled_from(ITEMS))
    fixes = json.loads(FAMILY.oracle(item, "published"))
    entries = data.draw(st.lists(strangers | st.sampled_from(fixes) | st.just(5), max_size=12))
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry["lines"], list) and data.draw(st.booleans()):
            entry["lines"] = [*entry["lines"], *data.draw(pairs)]
    assert published(item, json.dumps(entries)) == packages_own(item, entries)


def published(item: Any, answer: str) -> dict[str, Any]:
    grade = FAMILY.grade(item, answer)["published"]
    if not grade.parts:
        return {"raised": str(grade.error).split(":")[0]}
    parts = {key: value for key, value in grade.parts.items() if key != "refused_entries"}
    return {"score": grade.score, "passed": grade.passed, **parts}


def packages_own(item: Any, entries: list[Any]) -> dict[str, Any]:
    """Post to the world itself through the package's session and call its grader, with nothing of ours between."""
    world = gradeable_world(item.public, item.truth)
    session = FAMILY.package.tools.Session(world)
    for entry in entries:
        if isinstance(entry, dict):
            session.post_entry(entry["date"], entry["memo"], entry["lines"])
    try:
        result = FAMILY.package.grader.grade(world, session)
    except Exception as error:
        return {"raised": f"the package's grader raised {type(error).__name__}"}
    return {
        key: result[key] for key in ("score", "passed", "found", "partial", "missed", "spurious_entries", "tb_balanced")
    }


def test_a_flood_of_entries_scores_zero_at_once() -> None:
    lines = [{"account": "1000", "debit": "1"}, {"account": "2000", "credit": "1"}]
    flood = [{"date": "2026-11-30", "memo": "", "lines": lines}] * 3_000
    grade = FAMILY.grade(ITEMS[0], json.dumps(flood))["published"]
    assert (grade.score, grade.passed) == (0.0, False)
    assert grade.error
