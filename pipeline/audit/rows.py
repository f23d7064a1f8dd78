"""The rows that are audited: published ones, generated anew, or those of a release folder."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.families import get_family
from pipeline.families.audit_plan import AuditPlan
from pipeline.families.base import Family, Item
from pipeline.scoring.folder_rows import open_folder

Show = Callable[[int, int], object]
"""Told how many units are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one family.

    Attributes:
        family: the family.
        data_version: that of the rows.
        splits: the items of each split, in the order of both.
        published: whether they are all of the published rows, so that statements about their totals apply.
    """

    family: Family
    data_version: str
    splits: Mapping[str, Sequence[Item]]
    published: bool

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.splits.values()))

    def all(self) -> Iterator[tuple[str, Item]]:
        """Yield every item with its split."""
        return ((split, item) for split, items in self.splits.items() for item in items)


@dataclass(frozen=True, slots=True)
class Pool:
    """Splits that share no world, whose rows can therefore be counted together.

    Attributes:
        splits: their names.
        items: their items.
        worlds: what the world of each item is recognised by.
    """

    splits: tuple[str, ...]
    items: Sequence[Item]
    worlds: Sequence[Hashable]

    @property
    def name(self) -> str:
        """The splits, joined by ``+``."""
        return "+".join(self.splits)


def published_rows(name: str, source: Path | None, show: Show) -> Rows:
    """Generate the published rows of a family.

    Raises:
        UsageError: there is no such family.
        GeneratorMissing: its package is not installed.
    """
    family = get_family(name, source)
    total = sum(seeds.count for seeds in family.default_seeds.values())
    splits: dict[str, list[Item]] = {split: [] for split in family.splits}
    done = 0
    for split, seeds in family.default_seeds.items():
        for seed in seeds:
            splits[split].append(family.generate(split, seed))
            show(done := done + 1, total)
    return Rows(family, family.data_version, splits, published=True)


def folder_rows(folder: Path, show: Show) -> Rows:
    """Read the rows of a release folder.

    Raises:
        CheckFailed: the folder is damaged.
        CannotRun: it is no release folder.
        OSError: it cannot be read.
    """
    with open_folder(folder, show) as rows:
        splits = {
            split.name: [rows.item(number) for number in range(split.first, split.first + len(split))]
            for split in rows.splits
        }
        family, listed = rows.family, rows.manifest.configs[rows.family.public_config]
        published = {split: str(seeds) for split, seeds in family.default_seeds.items()}
        return Rows(
            family,
            rows.manifest.data_version,
            splits,
            published={split: one.seeds for split, one in listed.items()} == published,
        )


def pools(rows: Rows, plan: AuditPlan) -> list[Pool]:
    """Put each split into the first pool that none of its worlds is in yet."""
    found: list[list[tuple[str, Item, Hashable]]] = []
    for split, items in rows.splits.items():
        added = [(split, item, _world(rows.family, plan, split, item)) for item in items]
        worlds = {world for *_, world in added}
        for pool in found:
            if worlds.isdisjoint(world for *_, world in pool):
                pool += added
                break
        else:
            found.append(added)
    return [_pool(*zip(*pool, strict=True)) for pool in found if pool]


def _pool(splits: Sequence[str], items: Sequence[Item], worlds: Sequence[Hashable]) -> Pool:
    return Pool(tuple(dict.fromkeys(splits)), items, worlds)


def _world(family: Family, plan: AuditPlan, split: str, item: Item) -> Hashable:
    world = plan.world(item)
    return (split, family.row_id(item.public)) if world is None else world
