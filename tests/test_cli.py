"""The command line as documentation: every command has help with an example and stands in the README."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import click
import pytest
from conftest import ROOT, Outcome

from pipeline.cli import COMMANDS, cli

HEAVY = ("pyarrow", "datasets", "huggingface_hub", "closebench")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from pipeline.cli import run; run(sys.argv[1:]);"
        f"sys.exit(','.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )
    process = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_an_example_and_a_place_in_the_readme(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help is not None
    assert "Example" in command.help
    assert f"closebench-hub {name}" in command.help
    assert f"closebench-hub {name}" in (ROOT / "README.md").read_text()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"


def test_generated_documents_are_up_to_date() -> None:
    process = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr


def test_list_says_what_there_is(hub: Callable[..., Outcome]) -> None:
    outcome = hub("list")
    assert outcome.code == 0
    line = next(line for line in outcome.out.splitlines() if line.startswith("closebench ") and " worlds " in line)
    for part in ("en", "100", "1-50,1001-1050", "1.0.0", "closebench==0.1.1", "68a76532"):
        assert part in line.split()


def test_list_as_json(hub: Callable[..., Outcome]) -> None:
    families = {family["family"]: family for family in json.loads(hub("list", "--json").out)}
    closebench = families["closebench"]
    assert closebench["splits"]["ru"] == {"rows": 100, "seeds": "1-50,1001-1050"}
    assert closebench["configs"] == ["worlds", "truth"]
    assert closebench["pin"]["truth-ru.jsonl"].startswith("c340bcd9")
