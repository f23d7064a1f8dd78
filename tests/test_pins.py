"""Pins are written once, from rows that are what their manifest says, and never changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Outcome, contents

from pipeline import resources


@pytest.fixture
def own_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project's resources, so that pins may be written."""
    root = tmp_path / "root"
    for name in ("schemas", "dataset_card", "data/pins"):
        shutil.copytree(ROOT / name, root / name)
    monkeypatch.setattr(resources, "root", lambda: root)
    return root / "data" / "pins"


def test_a_pin_that_is_there_stays(hub: Callable[..., Outcome], release: Path, own_pins: Path) -> None:
    before = contents(own_pins)
    outcome = hub("pin", "closebench", "--out", release.parent)
    assert outcome.code == 0
    assert "closebench-1.0.0.sha256" in outcome.out
    assert contents(own_pins) == before


def test_a_pin_is_written_as_it_was(hub: Callable[..., Outcome], release: Path, own_pins: Path) -> None:
    before = contents(own_pins)
    for path in own_pins.glob("closebench-*"):
        path.unlink()
    assert hub("pin", "closebench", "--out", release.parent).code == 0
    assert contents(own_pins) == before


@pytest.mark.parametrize("pinned", [True, False])
def test_damaged_rows_are_never_pinned(
    hub: Callable[..., Outcome], release: Path, own_pins: Path, tmp_path: Path, pinned: bool
) -> None:
    if not pinned:
        for path in own_pins.glob("closebench-*"):
            path.unlink()
    before = contents(own_pins)
    copy = Path(shutil.copytree(release, tmp_path / "out" / "closebench"))
    path = copy / "data" / "truth-en.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"E1"', b'"E2"', 1))
    outcome = hub("pin", "closebench", "--out", tmp_path / "out")
    assert outcome.code == 1
    assert "truth/en does not hold the rows of its manifest" in outcome.err
    assert contents(own_pins) == before


def test_other_seeds_are_not_pinned(hub: Callable[..., Outcome], small_release: Path, own_pins: Path) -> None:
    before = contents(own_pins)
    outcome = hub("pin", "closebench", "--out", small_release.parent)
    assert outcome.code == 2
    assert "does not hold the published seeds" in outcome.err
    assert contents(own_pins) == before


def test_a_release_that_is_not_there(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("pin", "closebench", "--out", tmp_path)
    assert outcome.code == 3
    assert "run: closebench-hub build closebench" in outcome.err
