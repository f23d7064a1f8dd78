"""The workflows: pinned actions, least rights, no stored token, nothing interpolated into a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict[str, Any]]:
    """Return every step of a workflow."""
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


def test_there_are_both() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_pinned_and_holds_no_secret(path: Path) -> None:
    text = path.read_text()
    assert "secrets." not in text
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    for step in steps(path):
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
        assert "${{" not in step.get("run", "")


def test_the_release_is_keyless() -> None:
    release = next(path for path in WORKFLOWS if path.name == "release.yml")
    job = yaml.safe_load(release.read_text())["jobs"]["release"]
    assert job["permissions"] == {"contents": "read", "id-token": "write"}
    (run,) = (step for step in steps(release) if "run" in step)
    assert run["env"]["HF_OIDC_RESOURCE"] == "datasets/${{ inputs.repo_id }}"
    assert "make release" in run["run"]


def test_continuous_integration_runs_the_readmes_command_first() -> None:
    ci = next(path for path in WORKFLOWS if path.name == "ci.yml")
    assert [step["run"] for step in steps(ci) if "run" in step] == ["bash .ci/run"]
    commands = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("make ")]
    assert commands[0] == "make test"
    assert "$ make test" in (ROOT / "README.md").read_text()
