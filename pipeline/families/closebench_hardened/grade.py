"""The strict grade of closebench, on rows that name neither seed nor mode."""

from __future__ import annotations

from pipeline.families.base import Grade, Item
from pipeline.families.closebench.grade import STRICT, Grader
from pipeline.families.closebench.package import Package

_OF_NO_EFFECT = {"seed": 0, "mode": "hard"}
"""The package wants these to make a world; with journal, documents and errors given nothing depends on them."""


def package_view(item: Item) -> Item:
    """Return the item as `pipeline.families.closebench.rebuild.rebuild_world` takes it."""
    return Item({**item.public, **_OF_NO_EFFECT}, item.truth)


class StrictGrader:
    """Grades answers, keeping the last world for the next call."""

    def __init__(self, package: Package) -> None:
        """Use the grader of a package."""
        self._grader = Grader(package)
        self._item: Item | None = None
        self._view: Item | None = None

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade an answer, a JSON array of adjusting entries. Never raises."""
        if self._view is None or item is not self._item:
            self._item, self._view = item, package_view(item)
        return {STRICT: self._grader.grade(self._view, answer)[STRICT]}
