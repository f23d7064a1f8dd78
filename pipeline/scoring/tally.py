"""The scores of the rows of one split, in a few bytes a row."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence

from pipeline.families.base import Grade

MISSING, ANSWERED, EXCLUDED = range(3)


class Tally:
    """What became of each row, and its scores under each grader, in row order.

    Attributes:
        states: `MISSING`, `ANSWERED` or `EXCLUDED`, a byte a row.
        answers: the number of graded answers to each row.
        scores: by grader, the mean score of each row.
        passes: by grader, how many answers to each row passed.
        infra_errors: how often there was one instead of an answer.
    """

    def __init__(self, graders: Sequence[str]) -> None:
        """Start with no row."""
        self.states = bytearray()
        self.answers = array("I")
        self.scores = {grader: array("d") for grader in graders}
        self.passes = {grader: array("I") for grader in graders}
        self.infra_errors = 0

    def add(self, results: Iterable[Mapping[str, Grade] | None]) -> None:
        """Add the next row.

        Args:
            results: the grades of each of its answers, None where the infrastructure failed instead; a row with
                nothing else is excluded. However many there are, only their figures are kept.
        """
        scores = {grader: array("d") for grader in self.scores}
        passes = dict.fromkeys(self.scores, 0)
        answers = failures = 0
        for grades in results:
            if grades is None:
                failures += 1
                continue
            answers += 1
            for grader, grade in grades.items():
                scores[grader].append(grade.score)
                passes[grader] += grade.passed
        self.states.append(ANSWERED if answers else EXCLUDED if failures else MISSING)
        self.answers.append(answers)
        self.infra_errors += failures
        for grader, column in scores.items():
            self.scores[grader].append(math.fsum(column) / max(1, answers))
            self.passes[grader].append(passes[grader])

    def extend(self, other: Tally) -> None:
        """Add the rows of another split."""
        self.states += other.states
        self.answers += other.answers
        self.infra_errors += other.infra_errors
        for grader in self.scores:
            self.scores[grader] += other.scores[grader]
            self.passes[grader] += other.passes[grader]
