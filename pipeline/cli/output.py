"""How results are printed: tables for people, JSON for programs, both to stdout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click


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
