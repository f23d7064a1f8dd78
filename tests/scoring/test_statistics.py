"""The statistics against values worked out by hand or by another way."""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.scoring.statistics import MOST_UNITS, bootstrap_intervals, pass_hat, wilson_interval


@pytest.mark.parametrize(
    ("passed", "rows", "low", "high"),
    [
        (0, 10, 0.0, 0.277533),  # z²/(n + z²) = 3.841459/13.841459
        (10, 10, 0.722467, 1.0),
        (5, 10, 0.236593, 0.763407),
        (18, 50, 0.241387, 0.498590),  # the roots of 1.076829 p² - 0.796829 p + 0.1296
        (1, 1, 0.206549, 1.0),
        (32, 32, 0.892821, 1.0),  # 32/(32 + z²)
    ],
)
def test_wilson(passed: int, rows: int, low: float, high: float) -> None:
    interval = wilson_interval(passed / rows, rows)
    assert interval == pytest.approx((low, high), abs=1e-6)


def test_wilson_solves_its_own_equation() -> None:
    low, high = wilson_interval(0.3, 40) or (0, 0)
    for end in (low, high):
        assert abs(0.3 - end) == pytest.approx(1.959963984540054 * math.sqrt(end * (1 - end) / 40))


def test_no_rows_have_no_interval() -> None:
    assert wilson_interval(0.0, 0) is None
    assert bootstrap_intervals([[], []], "key") == [None, None]


def test_pass_hat_by_hand() -> None:
    # Rows with 4 answers of which 4, 2 and 0 pass: C(4,k)/C(4,k), C(2,k)/C(4,k) and 0.
    assert pass_hat([(4, 4), (4, 2), (4, 0)]) == pytest.approx([(1 + 1 / 2) / 3, (1 + 1 / 6) / 3, 1 / 3, 1 / 3])


def test_pass_hat_goes_up_to_the_smallest_number_of_answers() -> None:
    assert pass_hat([(5, 3), (2, 1)]) == pytest.approx([(3 / 5 + 1 / 2) / 2, (3 / 10 + 0) / 2])


def test_an_unanswered_row_fails_every_time() -> None:
    assert pass_hat([(2, 2)], unanswered=3) == [0.25, 0.25]
    assert pass_hat([], unanswered=3) == []


@given(st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1, max_size=5))
def test_pass_hat_is_the_chance_that_a_draw_of_k_answers_all_pass(tries: list[tuple[int, int]]) -> None:
    for k, figure in enumerate(pass_hat(tries), 1):
        shares = []
        for n, c in tries:
            draws = list(combinations([True] * c + [False] * (n - c), k))
            shares.append(sum(map(all, draws)) / len(draws))
        assert figure == pytest.approx(sum(shares) / len(shares))


def test_the_bootstrap_is_the_same_every_time() -> None:
    scores = [math.sqrt(row % 7) for row in range(60)]
    assert bootstrap_intervals([scores], "key") == bootstrap_intervals([scores], "key")
    assert bootstrap_intervals([scores], "one") != bootstrap_intervals([scores], "other")


def test_the_bootstrap_is_close_to_all_resamples_there_are() -> None:
    scores = [0.0, 0.25, 0.5, 1.0, 1.0, 0.75]
    means = sorted(sum(resample) / 6 for resample in product(scores, repeat=6))
    exact = means[len(means) // 40], means[-len(means) // 40]
    assert bootstrap_intervals([scores], "key") == [pytest.approx(exact, abs=0.05)]


def test_equal_scores_leave_no_doubt() -> None:
    assert bootstrap_intervals([[0.3] * 7], "key") == [pytest.approx((0.3, 0.3))]


@pytest.mark.parametrize("rows", [400, 4 * MOST_UNITS + 3])
def test_the_bootstrap_is_as_wide_as_theory_says(rows: int) -> None:
    scores = [row % 2 for row in range(rows)]
    ((low, high),) = bootstrap_intervals([scores], "key")  # type: ignore[misc]
    reach = 1.96 * 0.5 / math.sqrt(rows)
    assert low == pytest.approx(0.5 - reach, abs=reach / 8)
    assert high == pytest.approx(0.5 + reach, abs=reach / 8)


def test_columns_share_their_resamples() -> None:
    scores = [0.0, 0.1, 0.9, 1.0] * 5
    one, half = bootstrap_intervals([scores, [score / 2 for score in scores]], "key")
    assert one is not None
    assert half == pytest.approx((one[0] / 2, one[1] / 2))
