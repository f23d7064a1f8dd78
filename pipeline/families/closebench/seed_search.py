"""Finds the seed of a world from six numbers of its ledger, by trying seeds with the package's own first draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pipeline.families.audit_plan import SeedSearch
from pipeline.families.base import Row
from pipeline.families.closebench.books import Books, Entry
from pipeline.families.closebench.package import Package


@dataclass
class _Draws:
    """As much of a world as the package's ``World._choose`` needs; it draws what is planted and the steady amounts."""

    rng: Any
    ERROR_KINDS: list[str]
    ABSENCE_KINDS: list[str]
    difficulty: str = ""
    close_month: int = 11
    chosen: set[str] = field(default_factory=set)


def seed_search(package: Callable[[], Package], modes: Callable[[Package, int], tuple[str, ...]]) -> SeedSearch:
    """Return the search.

    Args:
        package: gives the generator.
        modes: the difficulties that a seed may have been built with.
    """

    def traces(_: str, seeds: range) -> Iterator[tuple[int, Hashable]]:
        generator = package()
        world = generator.world.World
        draws = _Draws(generator.world.random.Random(), world.ERROR_KINDS, world.ABSENCE_KINDS)
        rng, choose = draws.rng, world._choose
        for seed in seeds:
            for mode in modes(generator, seed):
                rng.seed(seed)
                draws.difficulty = mode
                choose(draws)
                yield seed, (*_steady(draws), *_first_months(draws, rng))

    def confirm(_: str, row: Row, seed: int) -> bool:
        return any(_past(row) == _past(_build(package(), seed, mode)) for mode in modes(package(), seed))

    return SeedSearch(
        _clue, traces, confirm, "payroll, telecom, insurance, two electricity bills and one month's sales"
    )


def _steady(draws: Any) -> tuple[int, int, int]:
    return draws.pay_per_25, draws.svc_monthly, draws.ins_monthly


def _first_months(draws: Any, rng: Any) -> tuple[int, int, int]:
    """Draw sales and electricity of January and February as the package does."""
    sales, first = rng.randrange(-30000, 35000, 1000), rng.randrange(-900, 2600, 100)
    rng.randrange(-30000, 35000, 1000)
    return 420000 + sales, 7000 + first, 7000 + rng.randrange(-900, 2600, 100)


def _clue(row: Row) -> Hashable:
    books = Books(row)

    def units(about: str, month: int = 1) -> int:
        entry = books.in_month(about, month)
        return entry.total // 100 if entry else 0

    return units("PR"), units("SEC"), units("INS"), units("INV"), units("UTIL"), units("UTIL", 2)


def _past(row: Row) -> Hashable:
    """Return every entry before the closing month, without order, ids and words."""
    start = row["period"]["start"]
    return frozenset(_content(entry) for entry in Books(row).entries if entry.date < start)


def _content(entry: Entry) -> Hashable:
    return entry.date, frozenset(entry.debits.items()), frozenset(entry.credits.items())


def _build(package: Package, seed: int, mode: str) -> Row:
    row: Row = package.world.World(seed=seed, difficulty=mode).build().snapshot()
    return row
