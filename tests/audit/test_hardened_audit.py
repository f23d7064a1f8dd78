"""The audit of closebench_hardened finds nothing: no artefact, no broken claim, and answers score what they should.

Audited are all worlds of both difficulties in English; the Russian rows are the same worlds, which the claim on
parallel splits checks where both are audited (``closebench-hub audit closebench_hardened``). Rules are tested with
Fisher's exact test and the probe with permutations, both at 0.01 after Holm's correction (`docs/audit.md`).
"""

from __future__ import annotations

import pytest

from pipeline.audit.rows import folder_rows
from pipeline.audit.run import Audit, run_audit
from pipeline.build.assemble import BuildRequest, build_release
from pipeline.cli.progress import progress

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of the 400 English worlds."""
    out = tmp_path_factory.mktemp("hardened")
    request = BuildRequest("closebench_hardened", out, splits=("hard_en", "absence_en"), formats=("jsonl",))
    rows = folder_rows(build_release(request)[0], lambda done, total: None)
    return run_audit(rows, ("claims", "shortcuts", "floors"), show_work=progress)


def test_no_claim_is_broken(audit: Audit) -> None:
    assert audit.claims is not None
    assert [claim.name for claim in audit.broken_claims] == []
    assert {claim.rows for claim in audit.claims} >= {400}


def test_no_artefact_is_better_than_its_base_rate_and_the_probe_finds_nothing(audit: Audit) -> None:
    assert audit.hits
    assert audit.findings
    assert list(audit.artefacts) == []
    evidence = [hits for hits in audit.hits if hits.rule.nature == "evidence"]
    assert all(hits.better and not hits.false for hits in evidence)


def test_only_accounting_scores(audit: Audit) -> None:
    assert audit.floors is not None
    means = {(floor.answer, floor.stratum): floor.mean for floor in audit.floors}
    for stratum in ("hard", "absence"):
        assert means["oracle", stratum] == means["short legitimate script", stratum] == 1.0
        assert means["empty", stratum] == 0.0
        assert means["constant entry x5", stratum] == means["constant entry x8", stratum] == 0.0
