"""A probe that nobody tuned: can a small classifier tell from form alone what is planted?

For every kind a ridge classifier of scikit-learn, with all of the library's defaults, predicts the kind from the
features of the family, in five folds that never part the rows of one world. What it reaches (the area under the ROC
curve) is compared with what it reaches on shuffled answers.

The questions are permuted where nothing else could tell them apart: those about a row among the rows of its stratum,
those about the lines of a row among these lines.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.audit.rows import Pool, Show
from pipeline.audit.significance import ALPHA, holm
from pipeline.errors import UsageError
from pipeline.families.audit_plan import AuditPlan, Feature

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

FOLDS = 5
SEED = 0
FEWEST = 5
"""A kind is not tested where it is planted, or not planted, fewer times than this."""

_CHUNK_CELLS = 2**22  # shuffled answers held at a time
_STRONGEST = 3
_LEAST_PERMUTATIONS = 1999


def enough_permutations(tests: int) -> int:
    """Return how many shuffles let the smallest possible p-value pass the level after correction over some tests."""
    return max(_LEAST_PERMUTATIONS, int(1.25 * tests / ALPHA) - 1)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the probe says of one kind.

    Attributes:
        pool: the splits.
        stratum: the part of the rows.
        kind: the kind.
        asked: how many questions there are.
        planted: how many of them have the answer yes.
        reached: the area under the ROC curve, 0.5 for a coin.
        shuffled: its mean over shuffled answers.
        p: the share of shuffled answers that reach as much, the true ones counted among them.
        adjusted: the same after Holm's correction over all kinds, strata and pools.
        strongest: the features that are most correlated with it, for a kind that is found.
    """

    pool: str
    stratum: str
    kind: str
    asked: int
    planted: int
    reached: float
    shuffled: float
    p: float
    adjusted: float
    strongest: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether the probe tells the kind from its absence better than chance."""
        return self.adjusted < ALPHA


@dataclass(frozen=True, slots=True)
class _Table:
    """Subjects that the same kinds are asked about: one line a subject."""

    pool: str
    stratum: str
    kinds: tuple[str, ...]
    features: Sequence[Mapping[str, Feature]]
    worlds: Sequence[int]
    blocks: Sequence[int]
    answers: Sequence[Sequence[bool]]


def run_probe(plan: AuditPlan, all_pools: Sequence[Pool], permutations: int | None, show: Show) -> list[Finding]:
    """Probe every kind in every stratum and pool.

    Args:
        plan: gives questions and features.
        all_pools: the rows.
        permutations: how many times answers are shuffled; None for `enough_permutations`.
        show: told how many tables are done.

    Raises:
        UsageError: so few shuffles that no kind could pass the level.
    """
    tables = [table for pool in all_pools for table in _tables(plan, pool)]
    tests = sum(len(_tested(table)) for table in tables)
    if permutations is None:
        permutations = enough_permutations(tests)
    elif tests >= (permutations + 1) * ALPHA:
        least = int(tests / ALPHA)
        raise UsageError(f"{permutations} shuffles cannot find anything in {tests} tests; use at least {least}")
    results: list[tuple[_Table, str, int, float, float, float, tuple[str, ...]]] = []
    for done, table in enumerate(tables):
        show(done, len(tables))
        results += _probe(table, permutations)
    show(len(tables), len(tables))
    adjusted = holm([p for *_, p, _ in results])
    return [
        Finding(
            table.pool,
            table.stratum,
            kind,
            len(table.answers),
            planted,
            reached,
            shuffled,
            p,
            corrected,
            strongest if corrected < ALPHA else (),
        )
        for (table, kind, planted, reached, shuffled, p, strongest), corrected in zip(results, adjusted, strict=True)
    ]


def _tables(plan: AuditPlan, pool: Pool) -> Iterator[_Table]:
    """Part the questions of a pool into tables: by stratum, and by which kinds are asked about a subject."""
    lines: dict[tuple[str, tuple[str, ...]], list[tuple[Mapping[str, Feature], Hashable, Hashable, list[bool]]]] = {}
    for number, (item, world) in enumerate(zip(pool.items, pool.worlds, strict=True)):
        asked: dict[str, dict[str, bool]] = {}
        for question in plan.questions(item):
            asked.setdefault(question.subject, {})[question.kind] = question.planted
        stratum = plan.stratum(item)
        for subject in plan.subjects(item.public):
            if answers := asked.get(subject.subject):
                block = number if subject.subject else stratum
                line = (subject.features, world, block, list(answers.values()))
                lines.setdefault((stratum, tuple(answers)), []).append(line)
    for (stratum, kinds), table in lines.items():
        features, worlds, blocks, answers_of = zip(*table, strict=True)
        yield _Table(pool.name, stratum, kinds, features, _numbered(worlds), _numbered(blocks), answers_of)


def _numbered(values: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def _probe(table: _Table, permutations: int) -> Iterator[tuple[_Table, str, int, float, float, float, tuple[str, ...]]]:
    """Yield table, kind, times planted, area reached, its mean over shuffles, p and strongest features."""
    import numpy as np

    answers, tested = np.array(table.answers, dtype=bool), _tested(table)
    if not tested:
        return
    planted = answers.sum(axis=0)
    matrix, names = _matrix(table.features)
    if not names:  # every subject looks the same
        yield from ((table, table.kinds[place], int(planted[place]), 0.5, 0.5, 1.0, ()) for place in tested)
        return
    answers = answers[:, tested]
    areas = np.concatenate(list(_areas(table, matrix, answers, permutations)))
    # By correlation, not by the classifier's weights: those are shared out among features that go together.
    scaled = _classifier()[:-1].fit_transform(matrix)
    weights = abs(scaled.T @ (answers - answers.mean(axis=0))).round(6).T
    for column, place in enumerate(tested):
        reached, shuffled = areas[0, column], areas[1:, column]
        # A hair's breadth: sums of floats differ in their last bits from one machine to another.
        p = (1 + int((shuffled >= reached - 1e-9).sum())) / (1 + len(shuffled))
        strongest = tuple(names[place] for place in np.argsort(-weights[column], kind="stable")[:_STRONGEST])
        middle = float(shuffled.mean()) if len(shuffled) else 0.5
        yield table, table.kinds[place], int(planted[place]), float(reached), middle, p, strongest


def _tested(table: _Table) -> list[int]:
    """Return the places of the kinds with enough of either answer, if there is a world for each fold."""
    counts = [sum(answers) for answers in zip(*table.answers, strict=True)]
    if len(set(table.worlds)) < FOLDS:
        return []
    return [place for place, count in enumerate(counts) if FEWEST <= count <= len(table.answers) - FEWEST]


def _matrix(features: Sequence[Mapping[str, Feature]]) -> tuple[Array, list[str]]:
    """Lay features out in columns, a mark of a set being one, and leave out columns that never vary."""
    import numpy as np

    columns = dict.fromkeys(
        column for one in features for name, value in one.items() for column in _columns(name, value)
    )
    matrix = np.full((len(features), len(columns)), np.nan)
    for row, one in enumerate(features):
        for place, (name, mark) in enumerate(columns):
            if name in one:
                value = one[name]
                matrix[row, place] = mark in value if isinstance(value, frozenset) else value
    known = ~np.isnan(matrix)
    lowest = np.where(known, matrix, np.inf).min(axis=0)
    varies = np.where(known, matrix, -np.inf).max(axis=0) > lowest
    _borrow(matrix, known)
    labels = [name if mark is None else f"{name} = {mark!r}" for name, mark in columns]
    return matrix[:, varies], [label for label, keep in zip(labels, varies, strict=True) if keep]


def _borrow(matrix: Array, known: Array) -> None:
    """Give each subject what it does not have from another one, drawn at random, so that lacking it says nothing.

    The mean would say something: where values are skewed it is not in their middle. What is lacking together comes
    from one subject, so that it also goes together.
    """
    import numpy as np

    random = np.random.RandomState(SEED)
    patterns, pattern_of = np.unique(known, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        (lacking,) = np.nonzero(~pattern)
        if len(lacking):
            donors = random.choice(np.flatnonzero(pattern), size=len(lacking))
            columns = np.flatnonzero(pattern_of == number)
            matrix[np.ix_(lacking, columns)] = matrix[np.ix_(donors, columns)]


def _columns(name: str, value: Feature) -> list[tuple[str, str | None]]:
    return [(name, mark) for mark in sorted(value)] if isinstance(value, frozenset) else [(name, None)]


def _classifier() -> Any:
    """Return the classifier: unit variance, and a ridge with its default penalty.

    A ridge classifier is a ridge regression on -1 and +1. Used as that it takes the true answers of all kinds and
    thousands of shuffles in one fit, because its solution is linear in the answers.
    """
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), Ridge())


def _signs(answers: Array) -> Array:
    return answers * 2.0 - 1.0


def _areas(table: _Table, matrix: Array, answers: Array, permutations: int) -> Iterator[Array]:
    """Yield areas under the ROC curve, a row a shuffle and a column a kind; the first row is that of the truth."""
    import numpy as np
    from sklearn.model_selection import GroupKFold

    folds = list(GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(matrix, groups=table.worlds))
    random = np.random.RandomState(SEED)  # unlike Generator's, its streams are promised never to change
    blocks = np.array(table.blocks)
    at_a_time = max(1, _CHUNK_CELLS // answers.size)
    for first in range(0, permutations + 1, at_a_time):
        count = min(at_a_time, permutations + 1 - first)
        shuffles = [_shuffle(random, blocks) if first + one else np.arange(len(blocks)) for one in range(count)]
        shuffled = np.concatenate([answers[order] for order in shuffles], axis=1)
        scores = np.empty(shuffled.shape)
        for train, test in folds:
            scores[test] = (
                _classifier().fit(matrix[train], _signs(shuffled[train])).predict(matrix[test]).reshape(len(test), -1)
            )
        for block in set(table.blocks):  # the lines of a row are compared with each other, rows are not
            scores[blocks == block] -= scores[blocks == block].mean(axis=0)
        yield _area(scores, shuffled).reshape(count, -1)


def _shuffle(random: Any, blocks: Array) -> Array:
    """Return a random order that leaves every place in its block."""
    import numpy as np

    order = np.empty(len(blocks), dtype=int)
    order[np.argsort(blocks, kind="stable")] = np.lexsort((random.random_sample(len(blocks)), blocks))
    return order


def _area(scores: Array, answers: Array) -> Array:
    """Return the area under the ROC curve of each column: the chance that yes scores more than no."""
    from scipy.stats import rankdata

    # Rounded, because equal scores must be ties whatever the last bits of a float are.
    ranks = rankdata(scores.round(9), axis=0)
    yes = answers.sum(axis=0)
    area: Array = ((ranks * answers).sum(axis=0) - yes * (yes + 1) / 2) / (yes * (len(answers) - yes))
    return area
