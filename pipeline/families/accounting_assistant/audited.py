"""Everything that is audited in this family."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping

from pipeline.families.accounting_assistant.cash import MAX_OPENING, MIN_OPENING
from pipeline.families.accounting_assistant.claims import CLAIMS, TOTALS, lazy_claims
from pipeline.families.accounting_assistant.features import subjects
from pipeline.families.accounting_assistant.generate import FIRST_YEAR, NAME, STREAM_VERSION, YEARS, generate
from pipeline.families.accounting_assistant.lazy import lazy_answers
from pipeline.families.accounting_assistant.plan import draw_plan
from pipeline.families.accounting_assistant.record import questions, read_case, to_cents
from pipeline.families.accounting_assistant.shortcuts import RULES, SIDE_EFFECTS
from pipeline.families.accounting_assistant.solve import solve
from pipeline.families.audit_plan import AuditPlan, SeedSearch, Strategy
from pipeline.families.base import Grade, Item, Row
from pipeline.families.keyed_random import KeyedRandom


def _clue(row: Row) -> Hashable:
    return row["period"], to_cents(read_case(row)["opening_cash"])


def _traces(split: str, seeds: range) -> Iterator[tuple[int, Hashable]]:
    """Draw what a case begins with, as the generator does: its plan, its month and its opening balance."""
    for seed in seeds:
        rng = KeyedRandom(NAME, STREAM_VERSION, split, seed)
        draw_plan(rng)
        year, month = FIRST_YEAR + rng.below(YEARS), 1 + rng.below(12)
        yield seed, (f"{year}-{month:02d}", rng.between(MIN_OPENING, MAX_OPENING))


def _confirm(split: str, row: Row, seed: int) -> bool:
    case: bool = generate(split, seed).public["case"] == row["case"]
    return case


def audit_plan(grade: Callable[[Item, str], Mapping[str, Grade]]) -> AuditPlan:
    """Return what is audited.

    Args:
        grade: grades an answer.
    """
    lazy, lazy_mean = lazy_claims(grade, lazy_answers)
    return AuditPlan(
        claims=(*CLAIMS, lazy),
        totals=(*TOTALS, lazy_mean),
        questions=questions,
        rules=RULES,
        side_effects=SIDE_EFFECTS,
        subjects=subjects,
        strategies=(Strategy("solver, from the record alone", lambda row: json.dumps(solve(row))),),
        search=SeedSearch(_clue, _traces, _confirm, "month and opening balance"),
    )
