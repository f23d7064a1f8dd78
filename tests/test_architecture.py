"""The rules of the design that only a look at the source can keep."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "pipeline"
PURE = sorted(
    path
    for path in [*(PACKAGE / "families").rglob("*.py"), PACKAGE / "schema.py", PACKAGE / "seeds.py"]
    + [PACKAGE / "build" / "encode.py", PACKAGE / "build" / "plan.py"]
    # The two that look at the generator's own source files and nowhere else.
    if path not in {PACKAGE / "families" / "source.py", PACKAGE / "families" / "closebench" / "package.py"}
)
OPENS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "input", "print"}
CLOCKS = {"time", "random", "secrets", "uuid"}


def names_used(tree: ast.AST) -> set[str]:
    """Return every function that a module calls, by its last name."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def imports(tree: ast.AST) -> set[str]:
    """Return the top-level name of every import, wherever it stands."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_core_opens_no_file_and_reads_no_clock(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not names_used(tree) & OPENS
    assert not imports(tree) & (CLOCKS | {"click", "tqdm"})


@pytest.mark.parametrize("folder", ["audit", "build", "card", "cli", "families", "hub", "scoring", "verify"])
def test_nothing_but_a_family_knows_a_family_by_name(folder: str) -> None:
    from pipeline.families import FAMILIES

    for path in (PACKAGE / folder).rglob("*.py"):
        if path.parent.name in FAMILIES or path == PACKAGE / "families" / "__init__.py":
            continue
        code = ast.parse(path.read_text())
        strings = {
            node.value for node in ast.walk(code) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & set(FAMILIES), path


def test_no_file_names_this_machine_or_an_index() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    words = ["py" + "pi.org", "python" + "hosted", "deb" + "ian.org", "npm" + "js.org", "/ro" + "ot/", "/wo" + "rk/"]
    for name in tracked:
        text = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        for word in words:
            assert word.encode() not in text, f"{name} names {word}"
