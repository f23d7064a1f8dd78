"""Everything that is audited in this family."""

from __future__ import annotations

import json
from calendar import monthrange
from collections import Counter
from collections.abc import Hashable, Iterator

from pipeline.families.audit_plan import AuditPlan, SeedSearch, Strategy
from pipeline.families.base import Row
from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.reconcile_ledger.claims import CLAIMS
from pipeline.families.reconcile_ledger.features import subjects
from pipeline.families.reconcile_ledger.generate import _MONTHS, _STREAM, _days, draw
from pipeline.families.reconcile_ledger.shortcuts import RULES, SIDE_EFFECTS
from pipeline.families.reconcile_ledger.solve import solve
from pipeline.families.reconcile_ledger.tables import Tables, questions


def _clue(row: Row) -> Hashable:
    return row["period"], tuple(int(line["date"][-2:]) for line in Tables(row).bank)


def _traces(split: str, seeds: range) -> Iterator[tuple[int, Hashable]]:
    """Draw the days of the bank feed, which is what the generator draws first."""
    for seed in seeds:
        year, month = divmod((seed - 1) % _MONTHS, 12)
        days = _days(KeyedRandom(*_STREAM, split, seed), monthrange(2025 + year, month + 1)[1])
        yield seed, (f"{2025 + year}-{month + 1:02d}", tuple(days))


def _confirm(split: str, row: Row, seed: int) -> bool:
    found = Counter((entry.ref, entry.date.isoformat()) for entry in draw(split, seed).ledger)
    return found == Counter((line["txn_ref"], line["date"]) for line in Tables(row).ledger)


def audit_plan() -> AuditPlan:
    """Return what is audited."""
    return AuditPlan(
        claims=CLAIMS,
        questions=questions,
        rules=RULES,
        side_effects=SIDE_EFFECTS,
        subjects=subjects,
        strategies=(
            Strategy("solver, from the two tables alone", lambda row: json.dumps(solve(row)["discrepancies"])),
        ),
        search=SeedSearch(_clue, _traces, _confirm, "month and the days of the bank feed"),
    )
