"""The family ``closebench_hardened``: closebench without what gives its answer key away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pipeline.errors import UsageError
from pipeline.families.base import Family, Generator, Grade, Item, Key, Row
from pipeline.families.closebench import Closebench
from pipeline.families.closebench.adjustments import oracle_answer
from pipeline.families.closebench.grade import STRICT
from pipeline.families.closebench_hardened.generate import make_item
from pipeline.families.closebench_hardened.grade import StrictGrader
from pipeline.families.source import source_sha256
from pipeline.seeds import Seeds

if TYPE_CHECKING:
    from pipeline.families.audit_plan import AuditPlan

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_SOURCES = (
    *(_HERE / f"{name}.py" for name in ("books", "draws", "generate", "harden", "keys", "order", "wording")),
    _HERE.parent / "keyed_random.py",
    _HERE.parent / "money.py",
)
"""The files of this project that set the rows."""

_HARD, _ABSENCE = Seeds.parse("1-200"), Seeds.parse("1001-1200")


class ClosebenchHardened(Family):
    """The month-end closes of closebench, rewritten so that only the accounting tells what is wrong.

    A split is one difficulty in one language, because that is what people load and report:
    ``load_dataset(…, "worlds", split="hard_en")`` gives one homogeneous table, and nobody has to filter by a column
    that the rows must not have, for an agent would read it. The two languages of a difficulty are the same worlds and
    never share a split, so that no mean counts a world twice; ``split="hard_en+absence_en"`` joins what may be joined.

    An integer key is a number in the public edition, which is derived from a published text. Any text is the key of a
    world in another edition; kept secret, it makes a hold-out.
    """

    name: ClassVar[str] = "closebench_hardened"
    title: ClassVar[str] = "closebench, hardened"
    data_version: ClassVar[str] = "1.0.0"
    requirement: ClassVar[str] = Closebench.requirement
    public_config: ClassVar[str] = "worlds"
    default_seeds: ClassVar[Mapping[str, Seeds]] = {
        "hard_en": _HARD,
        "hard_ru": _HARD,
        "absence_en": _ABSENCE,
        "absence_ru": _ABSENCE,
    }
    parallel_groups: ClassVar[tuple[tuple[str, ...], ...]] = (("hard_en", "hard_ru"), ("absence_en", "absence_ru"))
    graders: ClassVar[tuple[str, ...]] = (STRICT,)
    empty_answer: ClassVar[str] = Closebench.empty_answer

    def __init__(self, source: Path | None = None) -> None:
        """Bind the family to the installed closebench, or to the checkout at `source`."""
        self._original = Closebench(source)
        self._grader: StrictGrader | None = None

    def generator(self) -> Generator:
        """Describe the package closebench in use; the digest covers it and the rewriting."""
        package = self._original.generator()
        digests = f"{package.source_sha256}  closebench\n{source_sha256(_ROOT, _SOURCES)}  {self.name}\n"
        return Generator(package.package, package.version, hashlib.sha256(digests.encode()).hexdigest())

    def generate(self, split: str, key: Key) -> Item:
        """Make the rows of one number of the public edition, or of one secret text.

        Raises:
            UsageError: there is no such split, or the key is none.
        """
        if split not in self.default_seeds:
            raise UsageError(f"{self.name} has no split {split!r}; choose from {', '.join(self.splits)}")
        mode, _, lang = split.partition("_")
        return make_item(self._original.package, mode, lang, key)

    def row_id(self, row: Row) -> str:
        """Name a row by its ``id``."""
        return str(row["id"])

    def oracle(self, item: Item, grader: str) -> str:
        """Post every fix."""
        return oracle_answer(item.truth, with_void=False)

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade a JSON array of adjusting entries."""
        if self._grader is None:
            self._grader = StrictGrader(self._original.package)
        return self._grader.grade(item, answer)

    def lazy_answers(self, public: Row) -> dict[str, str]:
        """Post what settles closebench without reading it; every amount that can be planted here is in it too."""
        return self._original.lazy_answers(public)

    def parallel_view(self, item: Item) -> Any:
        """Return both rows without what is written in their language, the head of the id included."""
        return self._original.parallel_view(Item(_shared_id(item.public), _shared_id(item.truth)))

    def facts(self, items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
        """Count what the card says, each world once."""
        return self._original.facts(("en", item) for _, item in items if item.public["lang"] == "en")

    def audit_plan(self) -> AuditPlan:
        """Return what is audited: what holds in any edition, and what this one adds."""
        from pipeline.families.closebench_hardened.audited import hardened_plan  # generating rows needs none of it

        return hardened_plan(lambda: self._original.package)

    def secret_texts(self, item: Item) -> Iterator[str]:
        """Yield each planted error's id, kind and description, and what the world is derived from."""
        yield from self._original.secret_texts(item)
        yield from (json.dumps(item.truth["key"], ensure_ascii=False)[1:-1], item.truth["seed"])


def _shared_id(row: Mapping[str, Any]) -> Row:
    return {**row, "id": row["id"].removeprefix(f"{row['lang']}-")}


FAMILY = ClosebenchHardened
