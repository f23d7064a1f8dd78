"""Counts what a family's rules guess right and wrong, and tests each against the base rate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from pipeline.audit.rows import Pool, Show
from pipeline.audit.significance import ALPHA, exact_test, holm
from pipeline.families.audit_plan import AuditPlan, Rule, SideEffect
from pipeline.families.base import Item


@dataclass(frozen=True, slots=True)
class Hits:
    """What one rule guesses of one kind in one pool.

    Attributes:
        rule: the rule.
        pool: the splits.
        kind: the kind.
        hits: guessed and planted.
        planted: planted.
        false: guessed and not planted.
        absent: not planted.
        p: the exact one-sided test against the base rate.
        adjusted: the same after Holm's correction over all rules, kinds and pools.
    """

    rule: Rule
    pool: str
    kind: str
    hits: int
    planted: int
    false: int
    absent: int
    p: float
    adjusted: float

    @property
    def better(self) -> bool:
        """Whether the rule is better than the base rate beyond sampling noise."""
        return self.adjusted < ALPHA


@dataclass(frozen=True, slots=True)
class Association:
    """How well something hidden is guessed from something countable, within one stratum.

    Attributes:
        effect: both.
        pool: the splits.
        stratum: the part of the rows.
        rows: how many rows.
        right: rows guessed right by the most frequent value beside each count; fitted to these rows.
        base: rows guessed right by the most frequent value of all.
    """

    effect: SideEffect
    pool: str
    stratum: str
    rows: int
    right: int
    base: int


_Table = dict[Hashable, list[int]]
"""By stratum: true positives, false positives, false negatives, true negatives."""


def count_rules(plan: AuditPlan, all_pools: Sequence[Pool], show: Show) -> list[Hits]:
    """Try every rule on every row."""
    counted: list[tuple[Rule, str, str, _Table]] = []
    total = len(plan.rules) * len(all_pools)
    for pool in all_pools:
        asked = [_asked(plan, number, item) for number, item in enumerate(pool.items)]
        for rule in plan.rules:
            show(len({(one.name, name) for one, name, *_ in counted}), total)
            counted += [(rule, pool.name, kind, table) for kind, table in _try(rule, pool, asked).items()]
    show(total, total)
    values = [exact_test((a, b, c, d) for a, b, c, d in table.values()) for *_, table in counted]
    results = []
    for (rule, name, kind, table), p, adjusted in zip(counted, values, holm(values), strict=True):
        hits, false, missed, right = (sum(column) for column in zip(*table.values(), strict=True))
        results.append(Hits(rule, name, kind, hits, hits + missed, false, false + right, p, adjusted))
    return results


def _asked(plan: AuditPlan, number: int, item: Item) -> dict[tuple[str, str], tuple[Hashable, bool]]:
    """Return stratum and answer of each question of a row; lines of a row are compared within it."""
    stratum = plan.stratum(item)
    return {
        (question.kind, question.subject): (number if question.subject else stratum, question.planted)
        for question in plan.questions(item)
    }


def _try(rule: Rule, pool: Pool, asked: Sequence[dict[tuple[str, str], tuple[Hashable, bool]]]) -> dict[str, _Table]:
    tables: dict[str, _Table] = {kind: defaultdict(lambda: [0, 0, 0, 0]) for kind in rule.kinds}
    for item, questions in zip(pool.items, asked, strict=True):
        guessed = set(rule.guess(item.public))
        for question, (stratum, planted) in questions.items():
            if question[0] in tables:
                place = (0 if planted else 1) if question in guessed else (2 if planted else 3)
                tables[question[0]][stratum][place] += 1
    return {kind: table for kind, table in tables.items() if table}


def associate(plan: AuditPlan, all_pools: Sequence[Pool]) -> list[Association]:
    """Measure every side effect in every stratum."""
    results = []
    for effect in plan.side_effects:
        for pool in all_pools:
            strata: defaultdict[str, list[Item]] = defaultdict(list)
            for item in pool.items:
                strata[plan.stratum(item)].append(item)
            results += [_associate(effect, pool.name, stratum, items) for stratum, items in strata.items()]
    return results


def _associate(effect: SideEffect, pool: str, stratum: str, items: Sequence[Item]) -> Association:
    beside: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for item in items:
        beside[effect.seen(item.public)][effect.hidden(item)] += 1
    right = sum(max(values.values()) for values in beside.values())
    base = max(sum(beside.values(), Counter()).values())
    return Association(effect, pool, stratum, len(items), right, base)
