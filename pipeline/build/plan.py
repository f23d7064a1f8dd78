"""From seeds to shards: what a build will make, decided before anything is made. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.errors import UsageError
from pipeline.families.base import Family
from pipeline.seeds import Seeds

ROWS_PER_SHARD = 1000
"""Default size of a shard: big enough for few files, small enough to keep every worker busy in a large build."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A contiguous run of seeds of one split: the unit of work, and one Parquet file a config.

    Attributes:
        split: the split it belongs to.
        seeds: its seeds, in row order.
        index: its place among the shards of the split, from 0.
        count: how many shards the split has.
    """

    split: str
    seeds: Seeds
    index: int
    count: int

    def parquet_path(self, config: str) -> str:
        """Return its Parquet file in the release folder."""
        return f"{config}/{self.split}-{self.index:05d}-of-{self.count:05d}.parquet"


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The rows of one split and how they are cut."""

    split: str
    seeds: Seeds
    rows_per_shard: int

    @property
    def shard_count(self) -> int:
        """How many shards there are."""
        return -(-self.seeds.count // self.rows_per_shard)

    def shards(self) -> Iterator[Shard]:
        """Cut the seeds into shards, lazily."""
        for index, run in enumerate(self.seeds.runs(self.rows_per_shard)):
            yield Shard(self.split, run, index, self.shard_count)


def jsonl_path(config: str, split: str) -> str:
    """Return the JSONL file of a config and split in the release folder."""
    return f"data/{config}-{split}.jsonl"


def plan_splits(
    family: Family, splits: Sequence[str] = (), seeds: Seeds | None = None, rows_per_shard: int = ROWS_PER_SHARD
) -> tuple[SplitPlan, ...]:
    """Decide which rows a build makes.

    Args:
        family: the family.
        splits: the wanted splits; none means all.
        seeds: the seeds of every wanted split; None means each split's published seeds.
        rows_per_shard: rows in a shard, the last of a split apart.

    Returns:
        The plans in the family's order of splits.

    Raises:
        UsageError: an unknown split, or one list of seeds for several splits that must not share any.
    """
    unknown = [split for split in splits if split not in family.splits]
    if unknown:
        raise UsageError(f"{family.name} has no split {unknown[0]!r}; choose from {', '.join(family.splits)}")
    wanted = [split for split in family.splits if not splits or split in splits]
    if seeds is not None and not family.are_parallel(wanted):
        raise UsageError(
            f"the splits of {family.name} must not share seeds; name one for --seeds, for example --split {wanted[0]}"
        )
    return tuple(SplitPlan(split, seeds or family.default_seeds[split], rows_per_shard) for split in wanted)
