"""The difference between two releases, wherever they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Outcome
from hub_accounts import REPO
from hypothesis import given
from hypothesis import strategies as st
from tiny_releases import Tiny, run

from pipeline.hub.diff import changed_fields, diff_rows
from pipeline.hub.loopback import LoopbackHub
from pipeline.hub.publish import Push

pytest_plugins = ["hub_fixtures"]

Call = Callable[..., Outcome]
OLD = ({"seed": 1, "text": "a", "list": [{"x": 1}]}, {"seed": 2, "text": "b", "list": []})
NEW = ({"seed": 1, "text": "a", "list": [{"x": 2}]}, {"seed": 3, "text": "c", "list": []})


@pytest.fixture
def sides(served: LoopbackHub, repo: str, push_to: Callable[..., Push], tiny: Tiny) -> tuple[Path, Path]:
    """Two folders, of which the first is on the Hub."""
    old, new = tiny.write("old", rows=OLD, shards=2), tiny.write("new", version="2.0.0", rows=NEW)
    run(push_to(old))
    return old, new


@pytest.mark.parametrize("where", ["folder", "hub"])
def test_files_and_rows(sides: tuple[Path, Path], hub: Call, where: str) -> None:
    old, new = sides
    outcome = hub("diff", f"{old}/" if where == "folder" else f"{REPO}@v1.0.0", f"{new}/")
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines() == [
        "data version 1.0.0 -> 2.0.0",
        "files added: worlds/en-00000-of-00001.parquet",
        "files removed: worlds/en-00000-of-00002.parquet, worlds/en-00001-of-00002.parquet",
        "files changed: SHA256SUMS, data/worlds-en.jsonl, manifest.json",
        "config  split  rows added  removed  changed  for example",
        "worlds  en              1        1        1  added seed 3; changed seed 1; removed seed 2",
        "worlds/en changed in: list[].x (1)",
    ]


def test_only_what_differs_is_downloaded(served: LoopbackHub, sides: tuple[Path, Path], hub: Call) -> None:
    served.forget_requests()
    assert hub("diff", f"{REPO}@main", f"{REPO}@v1.0.0").out == "the same\n"
    got = {request.path.rpartition("/")[2] for request in served.requests if "/resolve/" in request.path}
    assert got == {"manifest.json"}


def test_the_entry_of_a_changelog(sides: tuple[Path, Path], hub: Call) -> None:
    outcome = hub("diff", *(f"{side}/" for side in sides), "--changelog")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert re.fullmatch(r"### Data version \S+, after \S+", lines[0])
    assert "- `worlds/en`: 1 rows added, 1 removed, 1 changed (in `list[].x`)." in lines
    assert hub("diff", *(f"{side}/" for side in sides), "--changelog", "--json").code == 2


def test_json(sides: tuple[Path, Path], hub: Call) -> None:
    old, new = sides
    difference = json.loads(hub("diff", f"{old}/", f"{new}/", "--json").out)
    assert difference["versions"] == ["1.0.0", "2.0.0"]
    assert difference["rows"] == [
        {
            "config": "worlds",
            "split": "en",
            "added": 1,
            "removed": 1,
            "changed": 1,
            "fields": {"list[].x": 1},
            "examples": {"added": ["seed 3"], "changed": ["seed 1"], "removed": ["seed 2"]},
        }
    ]


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("nowhere/", 3, "there is no folder nowhere/; name a release folder or a family"),
        ("me/data", 3, "there is no folder me/data; for the Hub write me/data@REVISION"),
        ("unheard", 2, "no family 'unheard'"),
        ("me/absent@main", 3, "absent, misspelt or private"),
        ("me/data@v9", 3, "has no such revision"),
        ("data@v9", 2, "NAMESPACE/NAME"),
    ],
)
def test_a_side_that_is_not_there(
    sides: tuple[Path, Path], hub: Call, naps: list[float], name: str, code: int, says: str
) -> None:
    outcome = hub("diff", name, f"{sides[0]}/")
    assert outcome.code == code
    assert says in outcome.err
    assert "create it" not in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_folder_that_is_no_release(hub: Call, tmp_path: Path) -> None:
    outcome = hub("diff", f"{tmp_path}/", f"{tmp_path}/")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"error: {tmp_path} is no release folder")
    assert len(outcome.err.splitlines()) == 1


def test_control_characters_of_a_repo_are_shown_and_not_obeyed(
    served: LoopbackHub, repo: str, push_to: Callable[..., Push], tiny: Tiny, hub: Call
) -> None:
    evil = "x\x1b[2J\r\x9b"
    first = ({"id": "a", "text": 1}, {"id": evil, "text": 1})
    old = tiny.write("old", rows=first)
    run(push_to(old))
    new = tiny.write("new", version="2.0.0", rows=({"id": "a", "text": 1, evil: 2}, {"id": "b", "text": 1}))
    for flags in ((), ("--changelog",)):
        outcome = hub("diff", f"{REPO}@v1.0.0", f"{new}/", *flags)
        assert outcome.code == 0, outcome.err
        assert r"x\x1b[2J\r\x9b" in outcome.out
        assert all(line.isprintable() for line in outcome.out.split("\n"))


def test_a_revision_without_a_release(served: LoopbackHub, repo: str, hub: Call, tiny: Tiny) -> None:
    outcome = hub("diff", f"{REPO}@main", f"{tiny.write()}/")
    assert outcome.code == 3
    assert "holds no release" in outcome.err


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 2)), st.data())
def test_every_row_is_added_removed_changed_or_the_same(old: dict[int, int], data: st.DataObject) -> None:
    new = data.draw(st.dictionaries(st.integers(0, 9), st.integers(0, 2)))
    order = data.draw(st.permutations(list(new)))

    def rows(values: dict[int, int], keys: list[int]) -> Iterator[dict[str, Any]]:
        return ({"seed": key, "value": values[key]} for key in keys)

    diff = diff_rows("c", "s", rows(old, list(old)), rows(new, order))
    assert diff.added == len(set(new) - set(old))
    assert diff.removed == len(set(old) - set(new))
    assert diff.changed == sum(old[key] != new[key] for key in set(old) & set(new))
    assert diff.fields == ({"value": diff.changed} if diff.changed else {})


def test_changed_fields() -> None:
    old = {"a": 1, "b": {"c": "x", "d": 1}, "e": [1, 2], "f": "1"}
    new = {"a": 1, "b": {"c": "y"}, "e": [1], "f": 1}
    assert sorted(changed_fields(old, new)) == ["b.c", "b.d", "e[]", "f"]
    assert list(changed_fields(old, old)) == []
