"""Whether a public row reveals the seed that it was made from, by saying so or to a search over seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from pipeline.audit.rows import Rows, Show, pools
from pipeline.families.audit_plan import AuditPlan, SeedSearch
from pipeline.families.base import Item

DEFAULT_RANGE = 10_000
"""Seeds tried from 0 on, unless told otherwise."""

_SHOW_EVERY = 5_000


@dataclass(frozen=True, slots=True)
class Identity:
    """What the public rows of one split say about their seeds.

    Attributes:
        split: the split.
        rows: how many rows.
        stated: rows whose public row has a key ``seed``.
        tried: how many seeds were tried, from 0 on.
        within: rows whose seed is among them.
        found: rows whose seed the search found; those that only look like it are not counted.
        numbers: what it was found by.
        meaning: what that means for rows that are to be held out.
    """

    split: str
    rows: int
    stated: int
    tried: int
    within: int
    found: int
    numbers: str
    meaning: str


def search_seeds(rows: Rows, plan: AuditPlan, tried: int, show: Show) -> list[Identity]:
    """Search the seeds of the rows of the first pool; the rows of the others are the same worlds.

    Args:
        rows: the rows.
        plan: gives the search; without one only what rows state is looked at.
        tried: how many seeds are tried, from 0 on.
        show: told how many seeds were tried.
    """
    results = []
    splits = pools(rows, plan)[0].splits
    for number, split in enumerate(splits):
        items = rows.splits[split]
        found = _search(plan.search, split, items, tried, show, number, len(splits)) if plan.search else 0
        stated = sum("seed" in item.public for item in items)
        within = sum(isinstance(seed := item.truth.get("seed"), int) and 0 <= seed < tried for item in items)
        numbers = plan.search.numbers if plan.search else ""
        looked = tried if plan.search else 0
        meaning = _meaning(len(items), stated, looked, within, found)
        results.append(Identity(split, len(items), stated, looked, within, found, numbers, meaning))
    return results


def _search(
    search: SeedSearch, split: str, items: Sequence[Item], tried: int, show: Show, number: int, splits: int
) -> int:
    wanted: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        wanted[search.clue(item.public)].append(item)
    found = 0
    for seed, clue in search.traces(split, range(tried)):
        if seed % _SHOW_EVERY == 0:
            show(number * tried + seed, splits * tried)
        for item in wanted.get(clue, ()):
            found += search.confirm(split, item.public, seed)
    show((number + 1) * tried, splits * tried)
    return found


def _meaning(rows: int, stated: int, tried: int, within: int, found: int) -> str:
    if found and found == within:
        return (
            "A public row gives its seed away, and with it the whole truth row, to anybody who tries seeds: seeds that "
            "nobody has published are no hold-out unless they are too many to try; hold out rows of a secret text."
        )
    if found:
        return f"The search finds {found} of the {within} rows whose seeds it tries; those are no hold-out."
    if within or (stated and tried):
        return "The search finds none of the rows, but their seeds are small or stated; do not rely on it."
    if stated:
        return "The rows state their seeds; anybody can generate their truth."
    return (
        f"None of {rows} rows is made from a seed below {tried:,}: what the rows are derived from must be told or "
        "guessed, and rows of a secret text are a hold-out as long as it is secret."
    )
