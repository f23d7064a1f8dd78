"""An audit: which sections, over which rows, and what they found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from pipeline.audit.claims import Checked, check_claims
from pipeline.audit.floors import Floor, measure_floors
from pipeline.audit.identity import DEFAULT_RANGE, Identity, search_seeds
from pipeline.audit.probe import Finding, run_probe
from pipeline.audit.rows import Rows, Show, pools
from pipeline.audit.shortcuts import Association, Hits, associate, count_rules
from pipeline.errors import CannotRun, UsageError

CLAIMS, SHORTCUTS, FLOORS, IDENTITY = SECTIONS = ("claims", "shortcuts", "floors", "identity")

ShowWork = Callable[[str, str], AbstractContextManager[Show]]
"""Opens a progress bar for something, in some unit."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found; a section that was not asked for is None.

    Attributes:
        rows: the rows.
        claims: every claim.
        hits: every rule, kind and pool.
        associations: every side effect.
        findings: the probe.
        floors: every answer and grader.
        identity: every split.
    """

    rows: Rows
    claims: Sequence[Checked] | None = None
    hits: Sequence[Hits] | None = None
    associations: Sequence[Association] | None = None
    findings: Sequence[Finding] | None = None
    floors: Sequence[Floor] | None = None
    identity: Sequence[Identity] | None = None

    @property
    def broken_claims(self) -> list[Checked]:
        """The claims that the edition makes and some row breaks."""
        return [claim for claim in self.claims or () if claim.binding and claim.breaks]

    @property
    def artefacts(self) -> list[str]:
        """A line for every artefact that gives something away: rules, then what the probe found."""
        rules = [
            f"{one.rule.name} ({one.kind}, {one.pool}: {one.hits} of {one.planted})"
            for one in self.hits or ()
            if one.better and one.rule.nature == "artefact"
        ]
        probe = [
            f"probe ({one.kind}, {one.pool} {one.stratum}".rstrip() + f": {one.reached:.3f})"
            for one in self.findings or ()
            if one.found
        ]
        return rules + probe


def run_audit(
    rows: Rows,
    sections: Sequence[str] = SECTIONS,
    *,
    tried: int | None = None,
    permutations: int | None = None,
    show_work: ShowWork,
) -> Audit:
    """Audit rows.

    Args:
        rows: the rows.
        sections: some of `SECTIONS`.
        tried: how many seeds the section identity tries, from 0 on; None for `DEFAULT_RANGE`.
        permutations: shuffles of the probe; None for as many as its correction needs.
        show_work: opens progress bars.

    Raises:
        UsageError: the family declares nothing to audit.
        CannotRun: the section shortcuts is asked for, and the packages that it needs are not installed.
    """
    plan = rows.family.audit_plan()
    if not plan.rules:
        raise UsageError(f"{rows.family.name} declares no rules to audit; give it an audit_plan first")
    audit = Audit(rows)
    if CLAIMS in sections:
        with show_work("claims", "claims") as show:
            audit = replace(audit, claims=check_claims(rows, plan, show))
    if SHORTCUTS in sections:
        _need_packages()
        split_pools = pools(rows, plan)
        with show_work("rules", "rules") as show:
            audit = replace(audit, hits=count_rules(plan, split_pools, show))
        with show_work("probe", "tables") as show:
            audit = replace(audit, findings=run_probe(plan, split_pools, permutations, show))
        audit = replace(audit, associations=associate(plan, split_pools))
    if FLOORS in sections:
        with show_work("floors", "rows") as show:
            audit = replace(audit, floors=measure_floors(rows, plan, show))
    if IDENTITY in sections:
        with show_work("identity", "seeds") as show:
            audit = replace(audit, identity=search_seeds(rows, plan, tried or DEFAULT_RANGE, show))
    return audit


def _need_packages() -> None:
    try:
        import sklearn  # noqa: F401
    except ModuleNotFoundError as error:
        raise CannotRun(
            f"the section {SHORTCUTS} needs {error.name}; run: pip install 'closebench-hub[audit]', or choose other "
            "sections with --section"
        ) from None
