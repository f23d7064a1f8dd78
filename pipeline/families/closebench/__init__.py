"""The family ``closebench``: month-end closes with planted errors, from the package of that name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import UsageError
from pipeline.families.base import Family, Generator, Grade, Item, Key, Row
from pipeline.families.closebench.adjustments import oracle_answer
from pipeline.families.closebench.constant_entry import constant_answer
from pipeline.families.closebench.facts import card_facts
from pipeline.families.closebench.generate import make_item
from pipeline.families.closebench.grade import PUBLISHED, STRICT, Grader
from pipeline.families.closebench.package import VERSION, Package, load
from pipeline.families.source import source_sha256
from pipeline.seeds import Seeds

if TYPE_CHECKING:
    from pipeline.families.audit_plan import AuditPlan

_PUBLISHED_SEEDS = Seeds.parse("1-50,1001-1050")


class Closebench(Family):
    """One fictional company a seed; close November 2026. ``en`` and ``ru`` are the same worlds."""

    name = "closebench"
    title = "closebench"
    data_version = "1.0.0"
    requirement = f"closebench=={VERSION}"
    public_config = "worlds"
    default_seeds = {"en": _PUBLISHED_SEEDS, "ru": _PUBLISHED_SEEDS}
    parallel_groups = (("en", "ru"),)
    graders = (PUBLISHED, STRICT)
    empty_answer = "[]"

    def __init__(self, source: Path | None = None) -> None:
        """Bind the family to the installed closebench, or to the checkout at `source`."""
        self._source = source
        self._grader: Grader | None = None

    @property
    def package(self) -> Package:
        """The generator package, imported on first use."""
        return load(self._source)

    def generator(self) -> Generator:
        """Describe the package closebench in use."""
        folder = self.package.folder
        return Generator("closebench", VERSION, source_sha256(folder.parent, folder.rglob("*.py")))

    def generate(self, split: str, key: Key) -> Item:
        """Make the rows of one seed; a split is a language."""
        if not isinstance(key, int):
            raise UsageError("closebench worlds are made from integer seeds; a text is no seed")
        return make_item(self.package, split, key)

    def row_id(self, row: Row) -> str:
        """Name a row by language and seed, for example ``en-1``."""
        return f"{row['lang']}-{row['seed']}"

    def oracle(self, item: Item, grader: str) -> str:
        """Post every fix; under strict grading an error of amount zero has none."""
        return oracle_answer(item.truth, with_void=grader == PUBLISHED)

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade a JSON array of adjusting entries."""
        if self._grader is None:
            self._grader = Grader(self.package)
        return self._grader.grade(item, answer)

    def lazy_answers(self, public: Row) -> dict[str, str]:
        """Post the constant entry, which reads nothing, five and eight times."""
        return {f"constant entry x{times}": constant_answer(times) for times in (5, 8)}

    def parallel_view(self, item: Item) -> Any:
        """Return both rows without what is written in their language: every number, date, account and id."""
        return [_without_texts(item.public), _without_texts(item.truth)]

    def facts(self, items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
        """Count worlds, entries, documents and errors, by mode and by kind."""
        return card_facts(items)

    def audit_plan(self) -> AuditPlan:
        """Return what is audited: the invariants, what the published card says, and the shortcuts into the truth."""
        from pipeline.families.closebench.audited import card_plan  # generating rows needs none of it

        return card_plan(lambda: self.package, lambda item, answer: self.grade(item, answer)[PUBLISHED])

    def secret_texts(self, item: Item) -> Iterator[str]:
        """Yield each planted error's id, kind and description."""
        for error in item.truth["errors"]:
            yield from (error["err_id"], error["kind"], json.dumps(error["description"], ensure_ascii=False)[1:-1])


_TEXTS = frozenset(
    ("lang", "company", "name", "memo", "title", "body", "description", "vendor", "customer", "counterparty")
)
"""Keys whose values are written in the row's language, or name it."""


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(item) for key, item in value.items() if key not in _TEXTS}
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    return value


FAMILY = Closebench
