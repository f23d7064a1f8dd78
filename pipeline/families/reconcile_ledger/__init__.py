"""Reconcile a month of bank transactions with a general ledger that holds twelve planted discrepancies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pipeline.errors import UsageError
from pipeline.families.base import Family, Generator, Grade, Item, Key, Row
from pipeline.families.reconcile_ledger.facts import card_facts
from pipeline.families.reconcile_ledger.generate import generate as generate_item
from pipeline.families.reconcile_ledger.grade import grade as grade_answer
from pipeline.families.source import own_generator
from pipeline.seeds import MAX_SEED, Seeds

if TYPE_CHECKING:
    from pipeline.families.audit_plan import AuditPlan

_SOURCES = (
    "amounts",
    "descriptions",
    "generate",
    "planting",
    "prompt",
    "records",
    "references",
    "../keyed_random",
    "../money",
)
"""The modules that set the rows."""


class ReconcileLedger(Family):
    """Monthly reconciliations of 200 bank transactions (seed document ``reconcile.ledger.v1``)."""

    name: ClassVar[str] = "reconcile_ledger"
    title: ClassVar[str] = "Ledger reconciliation"
    data_version: ClassVar[str] = "1.0.0"
    public_config: ClassVar[str] = "scenarios"
    default_seeds: ClassVar[Mapping[str, Seeds]] = {"test": Seeds.parse("1-15")}
    ships_solver: ClassVar[bool] = True
    graders: ClassVar[tuple[str, ...]] = ("exact",)
    empty_answer: ClassVar[str] = "[]"

    def generator(self) -> Generator:
        """Describe the generator, which is part of this project."""
        return own_generator(self.name, _SOURCES)

    def generate(self, split: str, key: Key) -> Item:
        """Make the item of one seed or secret text.

        Raises:
            UsageError: there is no such split, or the seed is not within 0 … 2^63-1.
            CheckFailed: the generator broke a rule of its own.
        """
        if split not in self.default_seeds:
            raise UsageError(f"{self.name} has no split {split!r}; choose from {', '.join(self.splits)}")
        if isinstance(key, int) and not 0 <= key <= MAX_SEED:
            raise UsageError(f"{self.name}: seed {key} is out of range; use seeds from 0 to {MAX_SEED}")
        return generate_item(split, key)

    def row_id(self, row: Row) -> str:
        """Name a row by its ``id``."""
        row_id: str = row["id"]
        return row_id

    def oracle(self, item: Item, grader: str) -> str:
        """Answer with the discrepancies of the truth row."""
        return _compact(item.truth["discrepancies"])

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade one answer; see `pipeline.families.reconcile_ledger.grade`."""
        return {"exact": grade_answer(item.truth, answer)}

    def facts(self, items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
        """Count what the card tells."""
        return card_facts(items)

    def secret_texts(self, item: Item) -> Iterator[str]:
        """Yield each discrepancy in the ways in which a leak would write it.

        Ids and type names are no secrets, both stand in the prompt; which go together is. So each pair comes as
        compact and as spaced JSON, both also as they look inside a JSON string, and as CSV. The prompt's own example,
        ``BNK-99-0001`` as missing, is never a secret.
        """
        for discrepancy in item.truth["discrepancies"]:
            pair = (discrepancy["txn_id"], discrepancy["type"])
            if pair == ("BNK-99-0001", "missing_in_gl"):
                continue
            for text in (_compact(discrepancy), json.dumps(discrepancy)):
                yield text
                yield json.dumps(text)[1:-1]
            yield ",".join(pair)

    def lazy_answers(self, public: Row) -> dict[str, str]:
        """Answer a public row by rules that need no reconciliation, by the name of the rule."""
        from pipeline.families.reconcile_ledger.lazy import lazy_answers  # generating rows needs none of it

        return lazy_answers(public)

    def audit_plan(self) -> AuditPlan:
        """Return what is audited: the rules that a scenario keeps, and the shortcuts into its truth."""
        from pipeline.families.reconcile_ledger.audited import audit_plan  # generating rows needs none of it

        return audit_plan()


FAMILY = ReconcileLedger


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
