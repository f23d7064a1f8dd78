"""Writes the generated parts of the documents, or checks that they are up to date (``--check``).

Generated are ``docs/cli.md`` and ``docs/schemas.md`` as a whole and, in README.md, what stands between
``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from pipeline.cli import COMMANDS, cli
from pipeline.families import FAMILIES, get_family
from pipeline.resources import load_schema

ROOT = Path(__file__).resolve().parent.parent


def command_help(*names: str) -> str:
    """Return the help text of a command, or of a command in a group, as a terminal shows it."""
    command: click.Command = cli
    context = click.Context(cli, info_name="closebench-hub", max_content_width=100, terminal_width=100)
    for name in names:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command = found
        context = click.Context(command, context, info_name=name, max_content_width=100, terminal_width=100)
    return command.get_help(context)


def commands() -> Iterator[tuple[str, ...]]:
    """Yield every command by its words, those in a group after the group."""
    for name in COMMANDS:
        yield (name,)
        command = cli.get_command(click.Context(cli), name)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.commands)


def command_summary(name: str) -> str:
    """Return the first sentence of a command's help."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return (command.help or "").strip().partition("\n")[0]


def command_table() -> str:
    """Render the table of commands."""
    rows = [f"| [`closebench-hub {name}`](docs/cli.md#{name}) | {command_summary(name)} |" for name in COMMANDS]
    return "\n".join(["| command | what it does |", "|---|---|", *rows]) + "\n"


def command_page() -> str:
    """Render ``docs/cli.md``."""
    parts = ["# Command line\n\nGenerated from `closebench-hub COMMAND --help` by `make format`.\n"]
    parts += [f"## {' '.join(words)}\n\n```text\n{command_help(*words)}\n```\n" for words in commands()]
    return "\n".join(parts)


def schema_page() -> str:
    """Render ``docs/schemas.md``."""
    parts = ["# Row schemas\n\nGenerated from `schemas/` by `make format`. Every text, date and amount is a string.\n"]
    for name in FAMILIES:
        for config in get_family(name).configs:
            schema = load_schema(name, config)
            parts.append(f"## {name}: {config}\n\n{schema.root.description}\n\n{schema.table()}")
    return "\n".join(parts)


def reader_table() -> str:
    """Render the short form of docs/compatibility.md: each reader with what it read."""
    results = json.loads((ROOT / "compat" / "results.json").read_bytes())
    rows = [
        f"| {line['package']} {line['version']} | {line['rows']:,} | {line['difference'] or 'every value equal'} |"
        for line in results
    ]
    return (
        "\n".join(["| reader | rows read, over all configs, splits and ways | result |", "|---|---:|---|", *rows])
        + "\n"
    )


def readme() -> str:
    """Return README.md with its generated parts made anew."""
    generated = {
        "commands": command_table(),
        "readers": reader_table(),
        "worlds": load_schema("closebench", "worlds").table(),
        "truth": load_schema("closebench", "truth").table(),
    }
    return re.sub(
        r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{generated[found[2]]}\n{found[3]}",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )


def main(check: bool) -> int:
    """Write, or compare and name what has drifted."""
    pages = {"README.md": readme(), "docs/cli.md": command_page(), "docs/schemas.md": schema_page()}
    drifted = [
        path
        for path, text in pages.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    if check:
        for path in drifted:
            print(f"error: {path} is not what it is generated from; run: make format", file=sys.stderr)
        return 1 if drifted else 0
    for path in drifted:
        (ROOT / path).write_text(pages[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
