"""Accounting Assistant Analysis: reconcile a bank statement with a cash ledger and flag duplicate invoices."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pipeline.errors import UsageError
from pipeline.families.accounting_assistant.facts import card_facts
from pipeline.families.accounting_assistant.generate import NAME
from pipeline.families.accounting_assistant.generate import generate as generate_item
from pipeline.families.accounting_assistant.grade import WEIGHTS
from pipeline.families.accounting_assistant.grade import grade as grade_answer
from pipeline.families.accounting_assistant.secret_texts import secret_texts as list_secret_texts
from pipeline.families.base import Family, Generator, Grade, Item, Key, Row
from pipeline.families.source import own_generator
from pipeline.seeds import Seeds

if TYPE_CHECKING:
    from pipeline.families.audit_plan import AuditPlan

_SOURCES = ("cash", "generate", "invoices", "plan", "prompt", "wording", "../keyed_random", "../money")
"""The modules that set the rows."""


class AccountingAssistant(Family):
    """The family of bank reconciliation cases."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Accounting Assistant Analysis"
    data_version: ClassVar[str] = "1.0.1"
    public_config: ClassVar[str] = "cases"
    # The first 24 consecutive seeds from 1001 on, and the first 8 from 9001 on, with every trap and both statuses among
    # them: each start was tried in turn and nothing else was looked at. 9001 to 9008 have no unreconciled case.
    default_seeds: ClassVar[Mapping[str, Seeds]] = {
        "train": Seeds.parse("1001-1024"),
        "eval": Seeds.parse("9009-9016"),
    }
    ships_solver: ClassVar[bool] = True
    graders: ClassVar[tuple[str, ...]] = ("exact", "lenient")
    empty_answer: ClassVar[str] = "{}"

    def generator(self) -> Generator:
        """Describe the generator, which is part of this project."""
        return own_generator(self.name, _SOURCES)

    def generate(self, split: str, key: Key) -> Item:
        """Make the item of one key.

        Raises:
            UsageError: there is no such split, or the key is no seed and no text.
        """
        if split not in self.default_seeds:
            raise UsageError(f"{self.name} has no split {split!r}; choose from {', '.join(self.splits)}")
        return generate_item(split, key)

    def row_id(self, row: Row) -> str:
        """Name a row by its `id`; the splits hold different seeds, so that an id occurs once."""
        return str(row["id"])

    def oracle(self, item: Item, grader: str) -> str:
        """Answer with the eight keys of the truth row; both graders give it 1."""
        return json.dumps({key: item.truth[key] for key in WEIGHTS})

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade one raw answer as it stands and without a code fence around it."""
        return grade_answer(item.truth, answer)

    def facts(self, items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
        """Count what the card tells."""
        return card_facts(items)

    def secret_texts(self, item: Item) -> Iterator[str]:
        """Yield the statements of the truth that must not stand in the public row."""
        return list_secret_texts(item)

    def lazy_answers(self, public: Row) -> dict[str, str]:
        """Return the lazy guesses whose scores are published, by name."""
        from pipeline.families.accounting_assistant.lazy import lazy_answers  # generating rows needs none of it

        return lazy_answers(public)

    def audit_plan(self) -> AuditPlan:
        """Return what is audited: the invariants of a case, and the shortcuts into its truth."""
        from pipeline.families.accounting_assistant.audited import audit_plan  # generating rows needs none of it

        return audit_plan(self.grade)


FAMILY = AccountingAssistant
