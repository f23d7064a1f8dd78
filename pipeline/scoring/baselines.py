"""Scores of the answers that need no work: the empty one, the family's lazy guesses, and the truth itself."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pipeline.families.base import Family, Grade, Item
from pipeline.scoring.summary import DECIMALS
from pipeline.seeds import Seeds

EMPTY = "empty"
ORACLE = "oracle"
ALL_SPLITS = "all splits"
_NOT_LAZY = (EMPTY, ORACLE)
_NAMING = ("split", "seeds", "answer", "grader")

_CHUNK = 256  # items held at a time; all of them get one answer before the next, as an answer is often the same


@dataclass(frozen=True, slots=True)
class Figures:
    """One grader's figures for one kind of answer over some rows.

    Attributes:
        mean: mean score.
        maximum: highest score of a row.
        passed: how many rows passed.
    """

    mean: float
    maximum: float
    passed: int


@dataclass(frozen=True, slots=True)
class Group:
    """The baselines over some rows.

    Attributes:
        split: the split; None for all splits together.
        seeds: the seeds of the rows, as `Seeds` writes them; empty for all splits together.
        rows: how many rows.
        answers: figures by kind of answer and by grader.
        lazy_floor: the lazy guess with the best mean under the headline grader; None for a family without any.
    """

    split: str | None
    seeds: str
    rows: int
    answers: Mapping[str, Mapping[str, Figures]]
    lazy_floor: str | None


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of one family.

    Attributes:
        family: its name.
        data_version: that of the rows.
        graders: the scores, the headline first.
        groups: a run of consecutive seeds each, then a whole split if it has several, then all splits together
            unless they hold the same items.
    """

    family: str
    data_version: str
    graders: tuple[str, ...]
    groups: tuple[Group, ...]


class _Scores:
    """Every row's score and pass, by kind of answer and grader, in row order."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, str], array[float]] = {}
        self.passes: dict[tuple[str, str], bytearray] = {}

    def add(self, answer: str, grader: str, grade: Grade) -> None:
        self.scores.setdefault((answer, grader), array("d")).append(grade.score)
        self.passes.setdefault((answer, grader), bytearray()).append(grade.passed)

    def figures(self, key: tuple[str, str], rows: slice) -> Figures:
        scores, passes = self.scores[key][rows], self.passes[key][rows]
        return Figures(round(math.fsum(scores) / len(scores), DECIMALS), max(scores), sum(passes))


def measure(family: Family, data_version: str, splits: Mapping[str, tuple[Seeds, Iterable[Item]]]) -> Baselines:
    """Grade every baseline answer to every row.

    Args:
        family: the family.
        data_version: that of the rows.
        splits: by split, the seeds and the items in their order.
    """
    measured = {split: (seeds, _grade_all(family, items)) for split, (seeds, items) in splits.items()}
    groups = [group for split, (seeds, scores) in measured.items() for group in _groups(family, split, seeds, scores)]
    if len(splits) > 1 and not family.parallel_splits:
        together = _Scores()
        for _, scores in measured.values():
            for key, column in scores.scores.items():
                together.scores.setdefault(key, array("d")).extend(column)
                together.passes.setdefault(key, bytearray()).extend(scores.passes[key])
        groups.append(_group(family, None, "", together, slice(None)))
    return Baselines(family.name, data_version, family.graders, tuple(groups))


def measure_published(family: Family) -> Baselines:
    """Measure the published seeds, generated anew."""

    def items(split: str, seeds: Seeds) -> Iterator[Item]:
        return (family.generate(split, seed) for seed in seeds)

    splits = {split: (seeds, items(split, seeds)) for split, seeds in family.default_seeds.items()}
    return measure(family, family.data_version, splits)


def _grade_all(family: Family, items: Iterable[Item]) -> _Scores:
    scores = _Scores()
    rest = iter(items)
    while chunk := list(islice(rest, _CHUNK)):
        lazy = [family.lazy_answers(item.public) for item in chunk]
        for answer in (EMPTY, *lazy[0]):
            for item, guesses in zip(chunk, lazy, strict=True):
                text = family.empty_answer if answer == EMPTY else guesses[answer]
                for grader, grade in family.grade(item, text).items():
                    scores.add(answer, grader, grade)
        for item in chunk:
            for grader in family.graders:
                scores.add(ORACLE, grader, family.grade(item, family.oracle(item, grader))[grader])
    return scores


def _groups(family: Family, split: str, seeds: Seeds, scores: _Scores) -> Iterator[Group]:
    """Yield a group for each run of consecutive seeds and one for the whole split."""
    if len(seeds.ranges) > 1:
        start = 0
        for run in seeds.ranges:
            part = Seeds((run,))
            yield _group(family, split, str(part), scores, slice(start, start + part.count))
            start += part.count
    yield _group(family, split, str(seeds), scores, slice(None))


def _group(family: Family, split: str | None, seeds: str, scores: _Scores, rows: slice) -> Group:
    answers: dict[str, dict[str, Figures]] = {}
    for answer, grader in scores.scores:
        answers.setdefault(answer, {})[grader] = scores.figures((answer, grader), rows)
    headline = family.graders[0]
    lazy = [answer for answer in answers if answer not in _NOT_LAZY]
    count = len(scores.scores[EMPTY, headline][rows])
    floor = max(lazy, key=lambda answer: answers[answer][headline].mean, default=None)
    return Group(split, seeds, count, answers, floor)


def as_json(baselines: Baselines) -> dict[str, Any]:
    """Write the baselines down as they stand in ``measured.json``: a flat list, as tables and templates want it.

    Each row has the split (or ``all splits``), the seeds, how many rows they are, the kind of answer, the grader, the
    mean, the highest score, the passes, and whether it is the lazy floor.
    """
    return {
        "data_version": baselines.data_version,
        "graders": list(baselines.graders),
        "rows": [
            {
                "split": group.split or ALL_SPLITS,
                "seeds": group.seeds,
                "rows": group.rows,
                "answer": answer,
                "grader": grader,
                "mean": one.mean,
                "max": one.maximum,
                "passes": one.passed,
                "lazy_floor": answer == group.lazy_floor and grader == baselines.graders[0],
            }
            for group in baselines.groups
            for answer, figures in group.answers.items()
            for grader, one in figures.items()
        ],
    }


def differences(committed: Any, measured: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for everything in which committed baselines differ from measured ones, as `as_json` writes them."""
    old, new = _by_name(committed), _by_name(measured)
    if old is None or new is None:
        yield "there are no committed baselines, or not in this form"
        return
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{name}: committed {_shown(old, name)}, measured {_shown(new, name)}"
    if list(old) != list(new) and sorted(old) == sorted(new):
        yield "the rows stand in another order"


def _by_name(baselines: Any) -> dict[str, Any] | None:
    """Return every figure by a name for people; None if this is not in the form of `as_json`."""
    keys = {"data_version", "graders", "rows"}
    if not isinstance(baselines, dict) or baselines.keys() != keys or not isinstance(baselines["rows"], list):
        return None
    named = {"data version": baselines["data_version"], "graders": baselines["graders"]}
    for row in baselines["rows"]:
        try:
            where = " ".join(filter(None, (row["split"], row["seeds"])))
            place = f"{where}, {row['answer']}, {row['grader']}"
        except (TypeError, KeyError):
            return None
        named |= {f"{place}: {key}": row[key] for key in sorted(row) if key not in _NAMING}
    return named


def _shown(named: Mapping[str, Any], name: str) -> str:
    return repr(named[name]) if name in named else "nothing"
