"""A change of anything in a release folder is found, and the report names the file."""

from __future__ import annotations

import functools
import json
import random
import shutil
from pathlib import Path

import pytest
from conftest import contents, hub_process
from tampering import ENTRIES, RAW, ROWS, TAMPERINGS, Tampering, resealed

from pipeline.build.manifest import MANIFEST
from pipeline.families.closebench import Closebench
from pipeline.verify.report import Report
from pipeline.verify.run import VerifyRequest, verify_folder

ROUNDS = 14
"""Mutations of each kind: at least 500 in all."""


@pytest.fixture(autouse=True)
def _generate_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each of the four worlds once: the same rows, without the wait."""
    monkeypatch.setattr(Closebench, "generate", _generate)


@functools.cache
def _generated(split: str, seed: int) -> object:
    return _ORIGINAL(Closebench(), split, seed)


_ORIGINAL = Closebench.generate


def _generate(self: Closebench, split: str, key: int) -> object:
    return _generated(split, key)


def verify(folder: Path) -> Report:
    """Verify a folder in this process, without loading it."""
    return verify_folder(VerifyRequest(folder, engine="serial", skip=frozenset(["load"])))


def test_there_are_500_mutations() -> None:
    assert len(TAMPERINGS) * ROUNDS >= 500


def test_the_folder_passes_before_it_is_changed(small_release: Path) -> None:
    report = verify(small_release)
    assert report.findings == []
    assert {result.check: result.status for result in report.results} == {
        "files": "passed",
        "rebuild": "passed",
        "parquet": "passed",
        "grading": "passed",
        "leaks": "passed",
        "load": "skipped",
    }


@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda tampering: tampering.__name__)
def test_every_change_is_found_and_named(small_release: Path, tmp_path: Path, tampering: Tampering) -> None:
    before = contents(small_release)
    for number in range(ROUNDS):
        folder = tmp_path / str(number) / "closebench"
        shutil.copytree(small_release, folder)
        place = tampering(folder, random.Random(f"{tampering.__name__} {number}"))
        changed = folder.is_symlink() or contents(folder) != before or any(p.is_symlink() for p in folder.rglob("*"))
        assert changed, f"mutation {number} changed nothing"
        report = verify(folder)
        assert not report.passed, f"mutation {number} of {place} was not found"
        named = {finding.place for finding in report.findings}
        # An entry of the manifest is named by the file that it speaks of, or where it breaks the manifest, by that.
        assert place in named or (tampering in ENTRIES and MANIFEST in named), f"mutation {number}: {report.findings}"
        json.dumps(report.to_dict())


@pytest.mark.parametrize("number", range(20))
def test_changes_of_the_full_folder_are_found_by_the_command(release: Path, tmp_path: Path, number: int) -> None:
    kinds = [*RAW, *ROWS, *map(resealed, ROWS)]
    folder = tmp_path / "closebench"
    shutil.copytree(release, folder)
    place = kinds[number % len(kinds)](folder, random.Random(f"full {number}"))
    checks = ["--skip", "load", "--skip", "grading", "--skip", "leaks"]
    process = hub_process("verify", f"{folder}/", "--n", "1", "--sample-seed", number, *checks)
    assert process.returncode == 1, process.stderr
    assert "Traceback" not in process.stderr
    assert f"    {place}: " in process.stdout
