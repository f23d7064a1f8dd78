"""The figures of a file of answers, a split at a time."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from pipeline.scoring.problems import Problems
from pipeline.scoring.statistics import Interval, bootstrap_intervals, pass_hat, wilson_interval
from pipeline.scoring.tally import ANSWERED, EXCLUDED, MISSING, Tally

DECIMALS = 6
"""Figures are rounded to so many decimals, once."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One grader's figures over some rows.

    Attributes:
        rows: how many rows.
        tries: graded answers, and one failed try for each row without an answer.
        passed: how many of them passed.
        pass_rate: mean over rows of the share of answers that passed.
        pass_rate_interval: its 95 % Wilson interval.
        mean: mean over rows of the mean score of a row.
        mean_interval: its 95 % bootstrap interval over rows.
        pass_hat: pass^k for k = 1, 2 … up to the smallest number of answers to an answered row.

    Rates, means and intervals are None where there is no row.
    """

    rows: int
    tries: int
    passed: int
    pass_rate: float | None
    pass_rate_interval: Interval | None
    mean: float | None
    mean_interval: Interval | None
    pass_hat: list[float]


@dataclass(frozen=True, slots=True)
class Score:
    """One grader's figures.

    Attributes:
        all_rows: the headline: a missing row scores 0, an excluded one does not count.
        answered_rows: the same over the rows that have an answer.
    """

    all_rows: Figures
    answered_rows: Figures


@dataclass(frozen=True, slots=True)
class SplitSummary:
    """The figures of a split, or of all of them together.

    Attributes:
        rows: how many rows there are.
        answered: those with an answer.
        missing: those that the file says nothing of.
        excluded: those with an infrastructure error and no answer.
        answers: graded answers.
        fewest_answers, most_answers: to one answered row; 0 without any.
        scores: figures by grader, the headline first.
    """

    rows: int
    answered: int
    missing: int
    excluded: int
    answers: int
    fewest_answers: int
    most_answers: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Summary:
    """What `closebench-hub grade` says of a file of answers.

    Attributes:
        family: the family's name.
        data_version: that of the release folder.
        headline: the grader whose score is the score.
        splits: figures of each split.
        together: figures of all splits; None for one split, or where splits hold the same items.
        infra_errors: lines with an infrastructure error instead of an answer.
        problems: lines that were not graded.
    """

    family: str
    data_version: str
    headline: str
    splits: Mapping[str, SplitSummary]
    together: SplitSummary | None
    infra_errors: int
    problems: Problems


def summarise(tally: Tally, key: str) -> SplitSummary:
    """Work out the figures of a split.

    Args:
        tally: its rows.
        key: names the rows for the bootstrap.
    """
    counted = bytes(state != EXCLUDED for state in tally.states)
    answered = bytes(state == ANSWERED for state in tally.states)
    over_all = _figures(tally, counted, key)
    over_answered = over_all if answered == counted else _figures(tally, answered, key)
    numbers = array("I", compress(tally.answers, answered))
    return SplitSummary(
        rows=len(tally.states),
        answered=sum(answered),
        missing=tally.states.count(MISSING),
        excluded=tally.states.count(EXCLUDED),
        answers=sum(numbers),
        fewest_answers=min(numbers, default=0),
        most_answers=max(numbers, default=0),
        scores={grader: Score(over_all[grader], over_answered[grader]) for grader in tally.scores},
    )


def _figures(tally: Tally, chosen: bytes, key: str) -> dict[str, Figures]:
    """Return every grader's figures over the chosen rows."""
    rows = sum(chosen)
    scores = [array("d", compress(column, chosen)) for column in tally.scores.values()]
    numbers = array("I", compress(tally.answers, chosen))
    unanswered = numbers.count(0)
    result = {}
    intervals = bootstrap_intervals(scores, f"{key}:{rows}")
    for grader, column, interval in zip(tally.scores, scores, intervals, strict=True):
        passes = array("I", compress(tally.passes[grader], chosen))
        rate = math.fsum(map(_share, passes, numbers)) / rows if rows else None
        hats = pass_hat(((n, c) for n, c in zip(numbers, passes, strict=True) if n), unanswered)
        result[grader] = Figures(
            rows=rows,
            tries=sum(numbers) + unanswered,
            passed=sum(passes),
            pass_rate=_rounded(rate),
            pass_rate_interval=_rounded_interval(None if rate is None else wilson_interval(rate, rows)),
            mean=_rounded(math.fsum(column) / rows if rows else None),
            mean_interval=_rounded_interval(interval),
            pass_hat=[round(hat, DECIMALS) for hat in hats],
        )
    return result


def _share(passed: int, answers: int) -> float:
    return passed / answers if answers else 0.0


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, DECIMALS)


def _rounded_interval(interval: Interval | None) -> Interval | None:
    return None if interval is None else (round(interval[0], DECIMALS), round(interval[1], DECIMALS))


def join(tallies: Sequence[Tally]) -> Tally:
    """Put the rows of several splits into one tally."""
    joined = Tally(list(tallies[0].scores))
    for tally in tallies:
        joined.extend(tally)
    return joined
