"""What a family hands out so that its rows can be audited: claims, rules, features, strategies, a search for seeds.

`pipeline.audit` works on these and knows no family by name. All of it is pure, and what an agent could do reads
public rows alone: rules, features and strategies never see a truth row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.families.base import Item, Row

Nature = Literal["artefact", "evidence"]
"""An artefact gives a planted error away without any accounting; evidence is what an accountant would look for."""

Feature = float | frozenset[str]
"""A number, or the marks that something has out of a set of them (for a category: the one)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about every single row.

    Attributes:
        name: what it is about, in a few words.
        statement: the statement, as a reader of the card would understand it.
        check: yields a line for everything in an item that contradicts it.
        binding: whether the edition promises it; what it does not promise is reported and never fails an audit.
    """

    name: str
    statement: str
    check: Callable[[Item], Iterable[str]]
    binding: bool = True


@dataclass(frozen=True, slots=True)
class TotalClaim:
    """A statement about all published rows of a split together; `check` gets them in their order."""

    name: str
    statement: str
    check: Callable[[Sequence[Item]], Iterable[str]]
    binding: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the truth row answers with yes or no.

    Attributes:
        kind: what may be planted.
        subject: the id of the line that it may be planted in; empty if it is about the row as a whole.
        planted: the answer.
    """

    kind: str
    subject: str
    planted: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to guess what is planted from a public row.

    Attributes:
        name: the rule in a few words.
        kinds: the kinds that it speaks about.
        nature: artefact or evidence.
        why: why it is that, in one sentence.
        guess: yields the pairs (kind, subject) that it takes for planted.
    """

    name: str
    kinds: tuple[str, ...]
    nature: Nature
    why: str
    guess: Callable[[Row], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SideEffect:
    """Something countable that goes along with something hidden, without naming any planted error.

    Attributes:
        name: both in a few words.
        why: why they go together, in one sentence.
        seen: reads it from the public row.
        hidden: reads what it may predict from the item.
    """

    name: str
    why: str
    seen: Callable[[Row], Hashable]
    hidden: Callable[[Item], Hashable]


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that questions are asked about, described by its form alone, for the probe.

    Attributes:
        subject: as in `Question`.
        features: by name; a feature that a subject does not have is left out, and that alone says nothing.
    """

    subject: str
    features: Mapping[str, Feature]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to answer that is graded as a floor: `answer` reads the public row and gives raw text."""

    name: str
    answer: Callable[[Row], str]


@dataclass(frozen=True, slots=True)
class SeedSearch:
    """How the seed of a public row is found by trying seeds.

    Attributes:
        clue: reads from a public row what a seed can be recognised by; nothing that names the seed itself.
        traces: yields (seed, clue) for seeds of a split, doing as little of the generator's work as possible.
        confirm: tells whether a public row of a split is that of a seed, from far more than the clue.
        numbers: what the clue is made of, in words.
    """

    clue: Callable[[Row], Hashable]
    traces: Callable[[str, range], Iterator[tuple[int, Hashable]]]
    confirm: Callable[[str, Row, int], bool]
    numbers: str


def _nothing(_: object) -> Iterator[Question]:
    return iter(())


def _no_subjects(_: Row) -> Iterator[Subject]:
    return iter(())


def _no_stratum(_: Item) -> str:
    return ""


def _own_world(_: Item) -> None:
    return None


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """Everything that is audited in a family.

    Attributes:
        claims: statements about every row.
        totals: statements about the published rows of a split.
        questions: what may be planted in an item, and whether it is.
        rules: ways to guess that.
        side_effects: what goes along with something hidden.
        subjects: the form of what the questions are about, for the probe.
        strategies: answers that are graded beside the empty one, the lazy guesses and the oracle.
        stratum: the part of the rows that an item belongs to and is compared within, such as its difficulty.
        world: the same for items that are the same world in another split, else different; None for an item that is
            like no other.
        search: how seeds are searched.
    """

    claims: tuple[Claim, ...] = ()
    totals: tuple[TotalClaim, ...] = ()
    questions: Callable[[Item], Iterable[Question]] = _nothing
    rules: tuple[Rule, ...] = ()
    side_effects: tuple[SideEffect, ...] = ()
    subjects: Callable[[Row], Iterable[Subject]] = _no_subjects
    strategies: tuple[Strategy, ...] = ()
    stratum: Callable[[Item], str] = _no_stratum
    world: Callable[[Item], Hashable] = _own_world
    search: SeedSearch | None = None
