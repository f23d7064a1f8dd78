"""Both graders of closebench on the holes of the published one, and on what an honest agent may do."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.families import get_family
from pipeline.families.base import Grade, Item
from pipeline.families.closebench.grade import best_matching

FAMILY = get_family("closebench")
ITEM = FAMILY.generate("en", 1)
FIXES = {error["err_id"]: error["fix"] for error in ITEM.truth["errors"]}


def entry(fix: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the entry that posts a fix."""
    lines = [
        {"account": fix["debit_account"], "debit": fix["amount"], "credit": "0.00"},
        {"account": fix["credit_account"], "debit": "0.00", "credit": fix["amount"]},
    ]
    return {"date": "2026-11-30", "memo": "close", "lines": lines, **changes}


def grade(entries: Any, item: Item = ITEM) -> dict[str, Grade]:
    """Grade a list of entries under both graders."""
    return FAMILY.grade(item, entries if isinstance(entries, str) else json.dumps(entries))


def scores(entries: Any, item: Item = ITEM) -> tuple[float, float]:
    """Return the published and the strict score."""
    grades = grade(entries, item)
    return grades["published"].score, grades["strict"].score


E3 = entry(FIXES["E3"])
E8 = entry(FIXES["E8"])
SWAPPED = [{"account": line["account"], "debit": line["credit"], "credit": line["debit"]} for line in E3["lines"]]
WASH = [{"account": "1000", "debit": "5.00"}, {"account": "1000", "credit": "5.00"}]


def test_the_published_example() -> None:
    assert scores([E3]) == (0.143, round(1 / 7, 6))
    assert grade([E3])["strict"].parts["found"] == ["E3"]


@pytest.mark.parametrize(
    ("entries", "published", "strict"),
    [
        # A passenger beside a correct fix: other balanced lines in the same entry.
        ([{**E3, "lines": E3["lines"] + E8["lines"]}], 0.143, 0.0),
        # A fix and its reversal in one entry.
        ([{**E3, "lines": E3["lines"] + SWAPPED}], 0.143, 0.0),
        # A wash beside a fix nets to nothing, so that the fix still counts.
        ([{**E3, "lines": E3["lines"] + WASH}], 0.143, round(1 / 7, 6)),
        # Dates that are none, or outside the period.
        ([{**E3, "date": "2026-11-2 banana"}], 0.143, 0.0),
        ([{**E3, "date": "2026-11-31"}], 0.0, 0.0),
        ([{**E3, "date": "2026-10-31"}], 0.0, 0.0),
        ([{**E3, "date": "２０２６-11-30"}], 0.0, 0.0),
        ([{**E3, "date": "20261130"}], 0.0, 0.0),
        # What makes the package's grader raise.
        ([{**E3, "date": None}], 0.0, 0.0),
        ([{**E3, "date": 20261130}], 0.0, 0.0),
        # A memo that is none is posted, and later breaks the package's journal.
        ([{**E3, "memo": None}], 0.143, 0.0),
        # Amounts as numbers.
        ([entry({**FIXES["E3"], "amount": 85000})], 0.143, round(1 / 7, 6)),
        ([entry({**FIXES["E3"], "amount": 85000.0})], 0.143, round(1 / 7, 6)),
        ([entry({**FIXES["E3"], "amount": True})], 0.0, 0.0),
        # Nothing but noise.
        ([{}], 0.0, 0.0),
        ([None, 1, "x", []], 0.0, 0.0),
        ([{**E3, "lines": []}], 0.0, 0.0),
        ([{**E3, "lines": [{"account": ["1500"], "debit": "1"}]}], 0.0, 0.0),
        ([{**E3, "lines": [{"account": "9999", "debit": "1"}, {"account": "1000", "credit": "1"}]}], 0.0, 0.0),
    ],
)
def test_the_holes_of_the_published_grader(entries: Any, published: float, strict: float) -> None:
    assert scores(entries) == (published, strict)


def test_where_the_package_raises_the_reason_is_told() -> None:
    assert "the package's grader raised TypeError" in str(grade([{**E3, "date": None}])["published"].error)


def test_amounts_beyond_the_packages_precision_do_not_balance() -> None:
    lines = [{"account": "1500", "debit": "9e25"}, {"account": "1500", "debit": "9e25"}]
    lines += [{"account": "1500", "debit": "0.04"}, {"account": "6900", "credit": "9e25"}]
    lines += [{"account": "6900", "credit": "9e25"}]
    grades = grade([{**E3, "lines": lines}])
    assert grades["published"].parts["refused_entries"] == 0  # the package takes it for balanced
    assert "debits and credits differ" in str(grades["strict"].error)


def test_the_order_of_entries_changes_the_published_score_and_never_the_strict_one() -> None:
    both = {**E3, "lines": E3["lines"] + E8["lines"]}
    assert scores([both, E3])[0] != scores([E3, both])[0]
    entries = [E3, E8, {**E3, "memo": "again"}, entry(FIXES["E9"]), {"date": "never"}]
    assert len({scores(list(order))[1] for order in itertools.permutations(entries)}) == 1


def test_an_equivalent_account_earns_half_and_equivalence_is_not_transitive() -> None:
    fix = FIXES["E3"]  # Dr 1500 / Cr 6900; 6300 is equivalent to 6900, 6600 too, but 6300 is not to 6600
    near = grade([entry({**fix, "credit_account": "6300"})])["strict"]
    assert near.parts["partial"] == ["E3"]
    assert near.score == round(0.5 / 7, 6)
    assert not near.passed
    far = grade([entry({**fix, "credit_account": "6100"})])["strict"]
    assert (far.parts["partial"], far.score) == ([], 0.0)


def test_one_compound_entry_of_all_fixes_is_one_unmatched_entry() -> None:
    lines = [line for fix in FIXES.values() for line in entry(fix)["lines"]]
    grades = grade([{**E3, "lines": lines}])
    assert (grades["published"].parts["found"], grades["published"].parts["spurious_entries"]) == (["E2"], [])
    assert grades["strict"].score == 0.0


@pytest.mark.parametrize("seed", [31, 1018, 1032, 1042])
def test_a_planted_error_without_effect_is_void_under_strict_grading(seed: int) -> None:
    item = FAMILY.generate("en", seed)
    honest = FAMILY.oracle(item, "strict")
    grades = FAMILY.grade(item, honest)
    assert (grades["strict"].score, grades["strict"].passed) == (1.0, True)
    assert grades["strict"].parts["void"] == ["E16"]
    assert not grades["published"].passed
    assert grades["published"].score == (0.8 if seed == 1042 else 0.833)
    published = FAMILY.grade(item, FAMILY.oracle(item, "published"))
    assert published["published"].score == 1.0
    assert not published["strict"].passed


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*FIXES]), max_size=9), st.booleans())
def test_strict_passes_exactly_when_every_fix_is_posted_once(posted: list[str], noise: bool) -> None:
    entries = [entry(FIXES[err_id]) for err_id in posted] + ([{"lines": 1}] if noise else [])
    strict = grade(entries)["strict"]
    assert strict.passed == (sorted(posted) == sorted(FIXES) and not noise)
    assert strict.passed == (strict.score == 1.0)
    unmatched = len(entries) - len(set(posted))
    assert strict.score == pytest.approx(max(0, len(set(posted)) / 7 - 0.1 * unmatched), abs=1e-6)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "date": st.sampled_from(["2026-11-30", "2026-11-99", "", None, 5]) | JSON,
                "memo": JSON,
                "lines": st.lists(
                    st.fixed_dictionaries(
                        {},
                        optional={
                            "account": st.sampled_from(["1500", "6900", "1000", None]) | JSON,
                            "debit": st.sampled_from(["85000.00", "0", "NaN", "-1", "1e400", "Infinity"]) | JSON,
                            "credit": st.sampled_from(["85000.00", "0", "sNaN", "1_0"]) | JSON,
                        },
                    ),
                    max_size=4,
                )
                | JSON,
            },
        ),
        max_size=4,
    )
    | JSON
)
def test_no_answer_makes_grading_raise_or_pass(answer: Any) -> None:
    for result in grade(json.dumps(answer)).values():
        assert 0 <= result.score <= 1
        assert not result.passed
        json.dumps(dict(result.parts))


def test_best_matching_beats_greedy_choices() -> None:
    exact, near = 2, 1
    assert best_matching([((0, exact), (1, near)), ((0, near),)], 2) == {1: near, 0: near}
    assert best_matching([((0, exact), (1, exact)), ((0, exact),)], 2) == {0: exact, 1: exact}
    assert best_matching([], 3) == {}
    assert best_matching([((0, exact),)] * 1000, 1) == {0: exact}


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1, 2])), max_size=3, unique_by=lambda o: o[0]),
        max_size=5,
    )
)
def test_best_matching_is_the_best_of_all_matchings(options: list[list[tuple[int, int]]]) -> None:
    live = 4
    candidates = [tuple(sorted(option)) for option in options]

    def value(credits: dict[int, int]) -> float:
        return sum(credits.values()) / 2 / live + 0.1 * len(credits)

    def every(index: int, taken: dict[int, int]) -> float:
        if index == len(candidates):
            return value(taken)
        best = every(index + 1, taken)
        for error, credit in candidates[index]:
            if error not in taken:
                best = max(best, every(index + 1, {**taken, error: credit}))
        return best

    assert value(best_matching(candidates, live)) == pytest.approx(every(0, {}))
