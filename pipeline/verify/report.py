"""What a verification found: a result for each check, with counts, findings and the reason where it did not run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

CHECKS = ("files", "rebuild", "parquet", "grading", "leaks", "load")
"""The checks, in the order in which they are reported."""

_KEPT = 5

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        check: one of `CHECKS`.
        place: the file, or file and row, that it was found in.
        message: what is wrong, in one line.
    """

    check: str
    place: str
    message: str


@dataclass(slots=True)
class Tally:
    """Collects what a check looked at and found. It can be merged, so that workers fill their own.

    Attributes:
        counts: how many of what was checked, such as ``{"rows": 400}``.
        findings: what was found, in no order.
        notes: what a reader should know although nothing is wrong.
        skipped: why the check did not run; None if it did.
        more: how many findings at a place were not kept.
    """

    counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str | None = None
    more: dict[str, int] = field(default_factory=dict)

    def find(self, check: str, place: str, message: str) -> None:
        """Add a finding; of many at one place the first few are kept, and how many more there were."""
        if sum(finding.place == place for finding in self.findings) < _KEPT:
            self.findings.append(Finding(check, place, message))
        else:
            self.more[place] = self.more.get(place, 0) + 1

    def count(self, **units: int) -> None:
        """Add to the counts."""
        for unit, number in units.items():
            self.counts[unit] = self.counts.get(unit, 0) + number

    def merge(self, other: Tally) -> None:
        """Take over what another tally of the same check holds."""
        self.count(**other.counts)
        for finding in other.findings:
            self.find(finding.check, finding.place, finding.message)
        for place, number in other.more.items():
            self.more[place] = self.more.get(place, 0) + number
        self.notes.extend(note for note in other.notes if note not in self.notes)
        self.skipped = self.skipped or other.skipped


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check, as it is printed."""

    check: str
    status: Status
    counts: dict[str, int]
    reason: str | None
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a verification.

    Attributes:
        subject: what was verified: a folder, or a repo at a commit.
        family: the family's name; empty if it could not be told.
        data_version: the version that the folder says it holds.
        results: one for each check, in the order of `CHECKS`.
    """

    subject: str
    family: str
    data_version: str
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was found. Checks that did not run are not counted as passed, nor as failed."""
        return all(result.status != "failed" for result in self.results)

    @property
    def findings(self) -> list[Finding]:
        """Every finding, sorted."""
        return sorted(finding for result in self.results for finding in result.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return {"passed": self.passed, **asdict(self)}


def make_report(subject: str, family: str, data_version: str, tallies: Iterable[tuple[str, Tally]]) -> Report:
    """Turn tallies into a report, findings sorted."""
    results = []
    for check, tally in tallies:
        findings = sorted(tally.findings)
        findings += [Finding(check, place, f"and {number:,} more like these") for place, number in tally.more.items()]
        if not (tally.findings or tally.skipped or tally.counts):
            tally.skipped = "there was nothing to check"
        status: Status = "failed" if tally.findings else "skipped" if tally.skipped else "passed"
        results.append(
            CheckResult(check, status, dict(tally.counts), tally.skipped, tuple(tally.notes), tuple(findings))
        )
    return Report(subject, family, data_version, tuple(results))
