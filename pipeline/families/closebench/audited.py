"""Everything that is audited in a closebench family."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from pipeline.families.audit_plan import AuditPlan, SeedSearch, Strategy
from pipeline.families.base import Grade, Item, Row
from pipeline.families.closebench.books import Books
from pipeline.families.closebench.claims import (
    CARD_CLAIMS,
    CARD_TOTALS,
    WORLD_CLAIMS,
    example_claim,
    grading_claims,
    mode,
)
from pipeline.families.closebench.features import subjects
from pipeline.families.closebench.package import Package
from pipeline.families.closebench.seed_search import seed_search
from pipeline.families.closebench.shortcuts import RULES, SIDE_EFFECTS, by_document_order, questions
from pipeline.families.closebench.solve import ABSENCE_KINDS, KINDS, answer, solve


def _in_document_order(row: Row) -> str:
    return answer(Books(row), map(KINDS.__getitem__, by_document_order(row)))


def _six_absence_kinds(row: Row) -> str:
    return answer(Books(row), map(KINDS.__getitem__, ABSENCE_KINDS))


STRATEGIES = (
    Strategy("document order, amounts from documents", _in_document_order),
    Strategy("six absence kinds, amounts off the books", _six_absence_kinds),
    Strategy("short legitimate script", solve),
)


def same_world(item: Item) -> Hashable:
    """Return the ledger of a world without order, ids and words: the same in every language."""
    lines = [
        (entry["date"], line["account"], line["debit"], line["credit"])
        for entry in item.public["entries"]
        for line in entry["lines"]
    ]
    return tuple(sorted(lines))


def world_plan(search: SeedSearch) -> AuditPlan:
    """Return what is audited in any edition of the worlds; an edition adds what it says of itself.

    Args:
        search: how seeds are searched (`pipeline.families.closebench.seed_search`).
    """
    return AuditPlan(
        claims=WORLD_CLAIMS,
        questions=questions,
        rules=RULES,
        side_effects=SIDE_EFFECTS,
        subjects=subjects,
        strategies=STRATEGIES,
        stratum=mode,
        world=same_world,
        search=search,
    )


def card_plan(package: Callable[[], Package], published: Callable[[Item, str], Grade]) -> AuditPlan:
    """Return what is audited in the published edition.

    Args:
        package: gives the generator.
        published: grades an answer as the package does.
    """
    return replace(
        world_plan(seed_search(package, lambda generator, seed: (generator.mode_for(seed),))),
        claims=(*WORLD_CLAIMS, *CARD_CLAIMS, *grading_claims(published)),
        totals=(*CARD_TOTALS, example_claim(published)),
    )
