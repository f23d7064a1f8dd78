"""Scores of answers that range from nothing to the truth, with intervals: what a score must be read against."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.audit.rows import Rows, Show, pools
from pipeline.families.audit_plan import AuditPlan
from pipeline.families.base import Family, Grade, Item
from pipeline.scoring.baselines import EMPTY, ORACLE
from pipeline.scoring.statistics import Interval, bootstrap_intervals, wilson_interval
from pipeline.scoring.summary import DECIMALS

_AT_A_TIME = 256  # rows that get one answer before the next: an answer is often the same for all and read once


@dataclass(frozen=True, slots=True)
class Floor:
    """One answer under one grader over some rows.

    Attributes:
        split: the split.
        stratum: the part of its rows; empty if there are no parts.
        answer: the answer.
        grader: the grader.
        rows: how many rows.
        mean: mean score.
        mean_interval: its 95 % bootstrap interval over rows.
        maximum: the highest score of a row.
        passed: rows that pass.
        pass_interval: the 95 % Wilson interval of the share of them.
    """

    split: str
    stratum: str
    answer: str
    grader: str
    rows: int
    mean: float
    mean_interval: Interval
    maximum: float
    passed: int
    pass_interval: Interval


def measure_floors(rows: Rows, plan: AuditPlan, show: Show) -> list[Floor]:
    """Grade every answer to every row; lazy guesses only in the first of several pools, which hold the same worlds."""
    lazy_splits = set(pools(rows, plan)[0].splits)
    results: list[Floor] = []
    done = 0
    for split, items in rows.splits.items():
        strata: defaultdict[str, list[Item]] = defaultdict(list)
        for item in items:
            strata[plan.stratum(item)].append(item)
        for stratum, its_items in strata.items():
            grades: dict[tuple[str, str], list[Grade]] = {}
            for first in range(0, len(its_items), _AT_A_TIME):
                part = its_items[first : first + _AT_A_TIME]
                for answer, grader, grade in _grades(rows.family, plan, part, lazy=split in lazy_splits):
                    grades.setdefault((answer, grader), []).append(grade)
                show(done := done + len(part), rows.count)
            results += _floors(split, stratum, grades, f"{rows.family.name}:{split}:{stratum}")
    return results


def _grades(family: Family, plan: AuditPlan, items: Sequence[Item], *, lazy: bool) -> Iterator[tuple[str, str, Grade]]:
    """Yield answer, grader and grade, all rows of one answer together."""
    answers: dict[str, Iterable[str]] = {EMPTY: [family.empty_answer] * len(items)}
    if lazy:
        guesses = [family.lazy_answers(item.public) for item in items]
        answers |= {name: [guess[name] for guess in guesses] for name in guesses[0]}
    answers |= {strategy.name: [strategy.answer(item.public) for item in items] for strategy in plan.strategies}
    for name, texts in answers.items():
        for item, text in zip(items, texts, strict=True):
            for grader, grade in family.grade(item, text).items():
                yield name, grader, grade
    for item in items:
        for grader in family.graders:
            yield ORACLE, grader, family.grade(item, family.oracle(item, grader))[grader]


def _floors(split: str, stratum: str, grades: dict[tuple[str, str], list[Grade]], key: str) -> Iterator[Floor]:
    columns = [[grade.score for grade in column] for column in grades.values()]
    for (name, grader), scores, interval in zip(grades, columns, bootstrap_intervals(columns, key), strict=True):
        passed = sum(grade.passed for grade in grades[name, grader])
        pass_interval = wilson_interval(passed / len(scores), len(scores))
        assert interval is not None
        assert pass_interval is not None
        yield Floor(
            split,
            stratum,
            name,
            grader,
            len(scores),
            round(math.fsum(scores) / len(scores), DECIMALS),
            interval,
            max(scores),
            passed,
            pass_interval,
        )
