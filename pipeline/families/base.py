"""What a task family is: the contract that build, verify, grade and publish work against.

A family lives in one folder, ``pipeline/families/<name>/``, whose ``__init__`` defines a `Family` subclass and
names it ``FAMILY``. Everything else in the project reaches it through this contract and knows no family by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pipeline.errors import UsageError
from pipeline.seeds import Seeds

if TYPE_CHECKING:
    from pipeline.families.audit_plan import AuditPlan

Row = dict[str, Any]
"""One row of a config: JSON types only, keys in schema order, absent keys absent (never null)."""

Key = int | str
"""What one item is derived from: a seed (0 … 2^63-1) or, for generators of our own, any secret text."""

TRUTH = "truth"
"""The name of the config that holds the answer key, the same in every family."""


@dataclass(frozen=True, slots=True)
class Item:
    """The two rows of one seed. They never share a file: an agent may see `public` and nothing of `truth`."""

    public: Row
    truth: Row


@dataclass(frozen=True, slots=True)
class Grade:
    """What one grader says of one answer.

    Attributes:
        score: between 0 and 1, rounded once, at the end.
        passed: whether the answer counts as a success in the pass rate.
        error: why points were lost or why the answer could not be read, in one line; None for a full score.
        parts: the figures behind the score, JSON types only.
    """

    score: float
    passed: bool
    error: str | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Generator:
    """The code that the rows come from.

    Attributes:
        package: distribution name.
        version: its version.
        source_sha256: digest of its source files (`pipeline.families.source.source_sha256`).
    """

    package: str
    version: str
    source_sha256: str


class Family(ABC):
    """One kind of task: its generator, its graders and what is declared about them.

    Instances are cheap: a generator package is imported on the first `generate`, not before.
    Generation and grading are pure: they open no file and read no clock.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    data_version: ClassVar[str]
    requirement: ClassVar[str] = "closebench-hub"
    """The package that makes the rows, as pip writes it."""
    public_config: ClassVar[str]
    """Name of the config that an agent may see, for example ``worlds``."""
    default_seeds: ClassVar[Mapping[str, Seeds]]
    """The published seeds of each split, in the order in which splits are listed everywhere."""
    parallel_groups: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Splits that hold the same items (locales), group by group, so that scores are never pooled over them."""
    ships_solver: ClassVar[bool] = False
    """Whether ``solve.py`` needs the standard library alone; it then ships with the data, and a ``verify.py`` that
    derives the truth again with it."""
    graders: ClassVar[tuple[str, ...]]
    """Names of the scores that `grade` returns; the first is the headline."""
    empty_answer: ClassVar[str]
    """The answer of an agent that did nothing; it scores 0 under every grader."""

    def __init__(self, source: Path | None = None) -> None:
        """Bind the family to a generator.

        Args:
            source: a checkout of the generator package to use instead of the installed one.

        Raises:
            UsageError: the family has its own generator, so there is no checkout to use.
        """
        if source is not None:
            raise UsageError(f"{self.name} has its own generator and takes no --src; leave it out")

    @property
    def configs(self) -> tuple[str, str]:
        """The two configs: the public one, then truth."""
        return (self.public_config, TRUTH)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits in their fixed order."""
        return tuple(self.default_seeds)

    @property
    def parallel_splits(self) -> bool:
        """Whether any splits hold the same items."""
        return bool(self.parallel_groups)

    def are_parallel(self, splits: Collection[str]) -> bool:
        """Whether all these splits hold the same items; a single one does."""
        return len(splits) < 2 or any(set(splits) <= set(group) for group in self.parallel_groups)

    @abstractmethod
    def generator(self) -> Generator:
        """Describe the generator.

        Raises:
            GeneratorMissing: the package is not installed, or in another version.
        """

    @abstractmethod
    def generate(self, split: str, key: Key) -> Item:
        """Make the item of one key, always the same for the same arguments.

        Raises:
            GeneratorMissing: see `generator`.
        """

    @abstractmethod
    def row_id(self, row: Row) -> str:
        """Name a row, public or truth, uniquely within its family; answers refer to it by this."""

    @abstractmethod
    def oracle(self, item: Item, grader: str) -> str:
        """Answer with the truth: the text that scores 1 under `grader` (one of `graders`)."""

    @abstractmethod
    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade one raw answer under every grader of `graders`, in that order. Never raises for any text."""

    def lazy_answers(self, public: Row) -> dict[str, str]:
        """Return answers that need no work, as raw text by a name; their scores are published as the floor.

        The names, and their order, are the same for every row.

        Args:
            public: a row of the public config.
        """
        return {}

    def parallel_view(self, item: Item) -> Any:
        """Return what an item must have in common with that of the same seed in every parallel split.

        JSON types only; nothing where splits are not parallel.
        """
        return None

    def facts(self, items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
        """Compute what the family's card says about its rows.

        Args:
            items: every item of a release with its split, in order; to be gone over once.

        Returns:
            Values for the card's template, by name.
        """
        return {}

    def audit_plan(self) -> AuditPlan:
        """Return the claims, rules, features and strategies that `pipeline.audit` measures.

        Those of this class are none, and an audit of a family without rules is refused.
        """
        from pipeline.families.audit_plan import AuditPlan  # generating rows needs none of it

        return AuditPlan()

    @abstractmethod
    def secret_texts(self, item: Item) -> Iterator[str]:
        """Yield the texts of the truth row that must not stand in the public row (see `pipeline.families.leaks`)."""
