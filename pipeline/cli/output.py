"""How results are printed: tables for people, JSON for programs, both to stdout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click


def one_line(text: str) -> str:
    """Return a text that may hold anything, such as a file name, as one line that does nothing to a terminal."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def print_json(result: Any) -> None:
    """Print a result as indented JSON."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode())


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print aligned columns; numbers to the right, everything else to the left."""
    cells = [list(header)] + [[f"{value:,}" if isinstance(value, int) else str(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    right = [bool(rows) and all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    for row in cells:
        padded = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        click.echo("  ".join(padded).rstrip())
