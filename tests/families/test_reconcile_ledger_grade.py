"""The grader: the table of the specification, then arbitrary text, arbitrary JSON and mutated right answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.families.base import Grade
from pipeline.families.reconcile_ledger import FAMILY

FAMILY_OBJECT = FAMILY()
ITEM = FAMILY_OBJECT.generate("test", 1)
TRUTH: list[dict[str, str]] = ITEM.truth["discrepancies"]
WANT = {(pair["txn_id"], pair["type"]) for pair in TRUTH}
TYPES = ("missing_in_gl", "duplicate_in_gl", "amount_mismatch", "date_drift")
OTHER_TYPE = dict(zip(TYPES, (*TYPES[1:], TYPES[0]), strict=True))
CLEAN = next(f"BNK-01-{n:04d}" for n in range(1, 201) if f"BNK-01-{n:04d}" not in {txn_id for txn_id, _ in WANT})
WRONG = {"txn_id": CLEAN, "type": "date_drift"}
UNKNOWN = {"txn_id": "BNK-77-0001", "type": "date_drift"}
NULL_TYPE = {"txn_id": CLEAN, "type": None}
RETYPED = {"txn_id": TRUTH[0]["txn_id"], "type": OTHER_TYPE[TRUTH[0]["type"]]}
MALFORMED = [
    None,
    5,
    1.5,
    True,
    "text",
    [],
    ["BNK-01-0001", "date_drift"],
    {},
    {"txn_id": CLEAN},
    {"type": "date_drift"},
]

EXAMPLES = 500
fuzz = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)


def grade(answer: Any) -> Grade:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    grades = FAMILY_OBJECT.grade(ITEM, text)
    assert list(grades) == ["exact"]
    result = grades["exact"]
    assert result.score in (0.0, 1.0)
    assert result.passed == (result.score == 1.0)
    assert (result.error is None) == result.passed
    assert result.passed or len((result.error or "").splitlines()) == 1
    parts = result.parts
    assert parts["tp"] + parts["fn"] == 12
    assert parts["false_positives"] == parts["fp"] + parts["malformed"]
    assert 0 <= parts["recall"] <= 1
    json.dumps(dict(parts), allow_nan=False)
    return result


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(TRUTH, id="the truth"),
        pytest.param(TRUTH + TRUTH, id="the truth repeated"),
        pytest.param([pair | {"note": [1, {}], "amount": 1.5} for pair in TRUTH], id="extra keys"),
        pytest.param([*TRUTH, WRONG], id="one wrong pair"),
        pytest.param([*TRUTH, WRONG, WRONG], id="one wrong pair repeated"),
        pytest.param([*TRUTH, UNKNOWN], id="one unknown id"),
        pytest.param([*TRUTH, NULL_TYPE], id="one null type"),
        pytest.param([*TRUTH, RETYPED], id="right and wrong type for one transaction"),
        *(pytest.param([*TRUTH, element], id=f"one malformed {element!r}") for element in MALFORMED),
        pytest.param(" \n" + json.dumps(TRUTH, indent=2) + "\r\n\t", id="white space around"),
    ],
)
def test_passes(answer: Any):
    result = grade(answer)
    assert result.passed
    assert result.parts["recall"] == 1.0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param([*TRUTH, WRONG, UNKNOWN], "2 false positives", id="two wrong pairs"),
        pytest.param([*TRUTH, WRONG, None], "2 false positives", id="wrong pair and malformed element"),
        pytest.param([*TRUTH, {}, {}], "2 false positives", id="the same malformed element twice"),
        pytest.param([RETYPED, *TRUTH[1:]], "not reported", id="one type wrong instead of right"),
        pytest.param(TRUTH[1:], TRUTH[0]["txn_id"], id="one missing"),
        pytest.param([], "not reported", id="empty"),
        pytest.param({"discrepancies": TRUTH}, "not a JSON array", id="an object"),
        pytest.param(TRUTH[0], "not a JSON array", id="one pair"),
        pytest.param("null", "not a JSON array", id="null"),
        pytest.param("12", "not a JSON array", id="a number"),
        pytest.param('"text"', "not a JSON array", id="a string"),
        pytest.param([p | {"type": p["type"].upper()} for p in TRUTH], "not reported", id="upper-case types"),
        pytest.param([p | {"txn_id": p["txn_id"].lower()} for p in TRUTH], "not reported", id="lower-case ids"),
        pytest.param([p | {"txn_id": p["txn_id"] + " "} for p in TRUTH], "not reported", id="padded ids"),
        pytest.param([[p["txn_id"], p["type"]] for p in TRUTH], "malformed elements: 12", id="pairs as lists"),
        pytest.param([TRUTH], "not reported", id="nested once more"),
        pytest.param(f"```json\n{json.dumps(TRUTH)}\n```", "not one JSON value", id="a fence"),
        pytest.param(f"{json.dumps(TRUTH)} Done.", "not one JSON value", id="trailing text"),
        pytest.param(f"Here: {json.dumps(TRUTH)}", "not one JSON value", id="leading text"),
        pytest.param(json.dumps(TRUTH) * 2, "not one JSON value", id="two values"),
        pytest.param("\ufeff" + json.dumps(TRUTH), "not one JSON value", id="byte order mark"),
        pytest.param(json.dumps(TRUTH)[:-1] + ",NaN]", "NaN", id="NaN"),
        pytest.param(json.dumps(TRUTH)[:-1] + ',{"a":1,"a":2}]', "stands twice", id="a key twice"),
        pytest.param(json.dumps(TRUTH) + " " * 200_000, "longer than", id="too long"),
        pytest.param("[" * 100_000, "", id="nested too deeply"),
        pytest.param("", "not one JSON value", id="nothing"),
    ],
)
def test_fails(answer: Any, reason: str):
    result = grade(answer)
    assert not result.passed
    assert reason in (result.error or "")


@pytest.mark.parametrize("pair", TRUTH, ids=lambda pair: pair["txn_id"])
def test_every_discrepancy_counts(pair: dict[str, str]):
    result = grade([other for other in TRUTH if other != pair])
    assert not result.passed
    assert result.parts["recall"] == 11 / 12
    assert result.parts["recall_by_type"][pair["type"]] < 1
    assert (result.error or "") == f"not reported: {pair['txn_id']!r} {pair['type']!r}"


def test_a_number_is_no_text():
    for element in ({"txn_id": 5, "type": "date_drift"}, {"txn_id": CLEAN, "type": 1.5}):
        assert grade([*TRUTH, element]).parts["malformed"] == 1


def test_parts():
    answer = [*TRUTH[2:], WRONG, UNKNOWN, None, {}]
    assert grade(answer).parts == {
        "tp": 10,
        "fp": 2,
        "fn": 2,
        "recall": 10 / 12,
        "recall_by_type": {
            kind: sum(pair["type"] == kind for pair in TRUTH[2:]) / sum(pair["type"] == kind for pair in TRUTH)
            for kind in sorted(TYPES)
        },
        "malformed": 2,
        "false_positives": 4,
        "grader_version": "1.0.0",
    }


def test_the_reason_stays_short_and_on_one_line():
    noise = [{"txn_id": "x\n" * 1000, "type": f"\u2028{n}"} for n in range(50)]
    error = grade(noise).error or ""
    assert len(error.splitlines()) == 1
    assert "and 38 more" in error
    assert len(error) < 4000


def test_the_empty_answer_scores_nothing_and_the_oracle_everything():
    for seed in FAMILY_OBJECT.default_seeds["test"]:
        item = FAMILY_OBJECT.generate("test", seed)
        assert FAMILY_OBJECT.grade(item, FAMILY_OBJECT.empty_answer)["exact"].score == 0
        assert FAMILY_OBJECT.grade(item, FAMILY_OBJECT.oracle(item, "exact"))["exact"].score == 1


def test_lazy_answers_score_nothing():
    for key in (*range(1, 16), "text"):
        item = FAMILY_OBJECT.generate("test", key)
        answers = FAMILY_OBJECT.lazy_answers(item.public)
        assert answers["nothing"] == FAMILY_OBJECT.empty_answer
        for name, answer in answers.items():
            result = FAMILY_OBJECT.grade(item, answer)["exact"]
            assert result.score == 0, name
            assert result.parts["malformed"] == 0, name
        every = FAMILY_OBJECT.grade(item, answers["all_with_every_type"])["exact"]
        assert (every.parts["recall"], every.parts["false_positives"]) == (1.0, 788)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=10,
)
ODD_PAIRS = st.fixed_dictionaries(
    {},
    optional={
        "txn_id": st.sampled_from([pair["txn_id"] for pair in TRUTH] + [CLEAN]) | JSON,
        "type": st.sampled_from(TYPES) | JSON,
        "note": JSON,
    },
)


@fuzz
@given(st.text() | st.text(alphabet='[]{}",:txn_idtype 0123456789-.eENaInfity\\u', max_size=200))
def test_arbitrary_text_never_raises_and_never_passes(text: str):
    assert not grade(text).passed


@fuzz
@given(JSON | st.lists(ODD_PAIRS, max_size=30))
def test_arbitrary_json_never_raises_and_passes_only_if_right(value: Any):
    assert grade(json.dumps(value)).passed == is_right(value)


@fuzz
@given(st.data())
def test_mutated_right_answers_pass_only_if_right_in_any_order(data: st.DataObject):
    answer: list[Any] = [dict(pair) for pair in TRUTH]
    for mutation in data.draw(st.lists(st.sampled_from(sorted(MUTATIONS)), max_size=4)):
        MUTATIONS[mutation](answer, data)
    result = grade(answer)
    assert result.passed == is_right(answer)
    assert grade(data.draw(st.permutations(answer))) == result


@fuzz
@given(st.data())
def test_a_damaged_text_passes_only_if_it_still_reads_as_a_right_answer(data: st.DataObject):
    text = json.dumps(TRUTH)
    place = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, 3))
    damaged = text[:place] + data.draw(st.text(max_size=3)) + text[place + removed :]
    if grade(damaged).passed:
        assert is_right(json.loads(damaged))


def is_right(value: Any) -> bool:
    """Apply the rule of the specification to parsed JSON, written apart from the grader."""
    if not isinstance(value, list):
        return False
    well_formed = [
        element
        for element in value
        if isinstance(element, dict) and isinstance(element.get("txn_id"), str) and isinstance(element.get("type"), str)
    ]
    got = {(element["txn_id"], element["type"]) for element in well_formed}
    return got >= WANT and len(got - WANT) + len(value) - len(well_formed) <= 1


def _drop(answer: list[Any], data: st.DataObject) -> None:
    if answer:
        del answer[data.draw(st.integers(0, len(answer) - 1))]


def _retype(answer: list[Any], data: st.DataObject) -> None:
    if answer and isinstance(answer[0], dict):
        answer[0] = answer[0] | {"type": data.draw(st.sampled_from(TYPES) | JSON)}


def _rename(answer: list[Any], data: st.DataObject) -> None:
    if answer and isinstance(answer[-1], dict):
        answer[-1] = answer[-1] | {"txn_id": data.draw(st.sampled_from([CLEAN, TRUTH[0]["txn_id"]]) | JSON)}


def _repeat(answer: list[Any], data: st.DataObject) -> None:
    if answer:
        answer.append(data.draw(st.sampled_from(answer)))


def _add(answer: list[Any], data: st.DataObject) -> None:
    answer.append(data.draw(st.sampled_from([WRONG, UNKNOWN, NULL_TYPE, RETYPED]) | ODD_PAIRS | JSON))


def _note(answer: list[Any], data: st.DataObject) -> None:
    if answer and isinstance(answer[0], dict):
        answer[0] = answer[0] | {"note": data.draw(JSON)}


MUTATIONS = {"drop": _drop, "retype": _retype, "rename": _rename, "repeat": _repeat, "add": _add, "note": _note}
