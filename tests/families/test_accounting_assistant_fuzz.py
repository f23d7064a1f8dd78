"""The grader of accounting_assistant under random answers: it never raises and no wrong answer passes.

``FUZZ_EXAMPLES`` sets the number of examples a test.
"""

from __future__ import annotations

import json
import os
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.families.accounting_assistant import FAMILY
from pipeline.families.accounting_assistant.grade import WEIGHTS
from pipeline.families.base import Grade, Item

SETTINGS = settings(max_examples=int(os.environ.get("FUZZ_EXAMPLES", "120")), deadline=None, derandomize=True)

FAMILY_HERE = FAMILY()
ITEMS = [FAMILY_HERE.generate("train", seed) for seed in range(12)]
ITEM = st.sampled_from(ITEMS)
AMOUNTS = [key for key in WEIGHTS if key.endswith(("balance", "amount"))]
LISTS = [key for key in WEIGHTS if key.endswith("ids")]

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
AMOUNT_LIKE = st.from_regex(r"\A-?[0-9]{0,6}(\.[0-9]{0,3})?\Z") | st.sampled_from(
    ["0.00", "-0.00", "1e3", "+1", "$5", " 5"]
)
VALUES = st.recursive(
    SCALARS | AMOUNT_LIKE | st.sampled_from(["reconciled", "unreconciled", "GL-01", "AP-01"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*WEIGHTS, "x"]), inner, max_size=4),
    max_leaves=12,
)
IDS = st.lists(st.from_regex(r"\A(GL|AP)-[0-9]{2}\Z") | SCALARS, max_size=5)


def check(grades: dict[str, Grade]) -> None:
    assert list(grades) == ["exact", "lenient"]
    for grade in grades.values():
        assert 0.0 <= grade.score <= 1.0
        assert grade.passed == (grade.score == 1.0) == (grade.error is None)
        assert list(grade.parts) == [*WEIGHTS, "capped", "grader_version"]
        assert all(0.0 <= grade.parts[key] <= 1.0 for key in WEIGHTS)
        assert grade.score <= 0.75 or not grade.parts["capped"]
        assert grade.error is None or (grade.error.isprintable() and len(grade.error) < 2_000)
        json.dumps(grade.parts)


def is_right(item: Item, text: str) -> bool:
    """Judge an answer another way: the standard parser, decimals and sets."""
    answer = json.loads(text, parse_float=Decimal)
    for key in AMOUNTS:
        given_value = answer[key]
        if isinstance(given_value, bool) or Decimal(given_value) != Decimal(item.truth[key]):
            return False
    if any(set(answer[key]) != set(item.truth[key]) for key in LISTS):
        return False
    return bool(answer["reconciliation_status"] == item.truth["reconciliation_status"])


@st.composite
def mutated_oracles(draw: st.DrawFn) -> tuple[Item, str]:
    """Take the right answer and change its values, keys or text here and there."""
    item = draw(ITEM)
    answer: dict[str, Any] = json.loads(FAMILY_HERE.oracle(item, "exact"))
    for key in draw(st.lists(st.sampled_from(list(WEIGHTS)), max_size=3)):
        change = draw(st.sampled_from(["drop", "any", "amount", "ids", "shuffle", "number", "cent", "swap"]))
        if change == "drop":
            answer.pop(key, None)
        elif change == "any":
            answer[key] = draw(VALUES)
        elif change == "amount":
            answer[key] = draw(AMOUNT_LIKE)
        elif change == "ids":
            answer[key] = draw(IDS)
        elif change == "shuffle" and isinstance(answer.get(key), list):
            answer[key] = draw(st.permutations(answer[key])) + answer[key][:1]
        elif change == "number" and key in AMOUNTS:
            answer[key] = float(item.truth[key])
        elif change == "cent" and key in AMOUNTS:
            answer[key] = str(Decimal(item.truth[key]) + draw(st.sampled_from([Decimal("0.01"), Decimal("-0.01")])))
        elif change == "swap":
            answer[key] = answer.get(draw(st.sampled_from(list(WEIGHTS))))
    keys = draw(st.permutations(list(answer)))
    text = json.dumps({key: answer[key] for key in keys}, ensure_ascii=draw(st.booleans()))
    if draw(st.integers(0, 3)) == 0:
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 3))
        text = (
            text[:at]
            + draw(st.text(max_size=3) | st.sampled_from(['"', "}", ",", "```", "\n", "0"]))
            + text[at + length :]
        )
    return item, text


@SETTINGS
@given(item=ITEM, text=st.text())
def test_arbitrary_text(item: Item, text: str) -> None:
    grades = FAMILY_HERE.grade(item, text)
    check(grades)
    assert not grades["exact"].passed


@SETTINGS
@given(item=ITEM, value=VALUES, fenced=st.booleans())
def test_arbitrary_json(item: Item, value: Any, fenced: bool) -> None:
    text = json.dumps(value)
    grades = FAMILY_HERE.grade(item, f"```json\n{text}\n```" if fenced else text)
    check(grades)
    assert not grades["lenient"].passed


@SETTINGS
@given(case=mutated_oracles())
def test_mutated_oracle_answers(case: tuple[Item, str]) -> None:
    item, text = case
    grades = FAMILY_HERE.grade(item, text)
    check(grades)
    assert grades["lenient"].score >= grades["exact"].score
    for grade in grades.values():
        assert not grade.passed or is_right(item, text.strip("` \n").removeprefix("json"))


@SETTINGS
@given(item=ITEM, data=st.data())
def test_order_and_repetition_never_change_a_score(item: Item, data: st.DataObject) -> None:
    answer = json.loads(FAMILY_HERE.oracle(item, "exact"))
    for key in LISTS:
        pool = [*item.truth[key], "GL-01", "AP-01", "X"]
        answer[key] = data.draw(st.lists(st.sampled_from(pool), max_size=6))
    before = FAMILY_HERE.grade(item, json.dumps(answer))
    other = {key: answer[key] for key in data.draw(st.permutations(list(answer)))}
    for key in LISTS:
        other[key] = data.draw(st.permutations(answer[key])) + answer[key]
    after = FAMILY_HERE.grade(item, json.dumps(other))
    assert [grade.score for grade in after.values()] == [grade.score for grade in before.values()]
    assert before["exact"].passed == all(set(answer[key]) == set(item.truth[key]) for key in LISTS)
