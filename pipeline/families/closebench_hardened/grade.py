"""The strict grade of closebench alone; the package's own grader has holes and is not offered here."""

from __future__ import annotations

from pipeline.families.base import Grade, Item
from pipeline.families.closebench.grade import STRICT, Grader
from pipeline.families.closebench.package import Package


class StrictGrader:
    """Grades answers under the strict rules."""

    def __init__(self, package: Package) -> None:
        """Use the tables and the books of a package."""
        self._grader = Grader(package)

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade an answer, a JSON array of adjusting entries. Never raises."""
        return {STRICT: self._grader.grade(item, answer)[STRICT]}
