"""``closebench-hub diff``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.options import DEFAULT_OUT, release_folder
from pipeline.cli.output import print_json, print_table
from pipeline.errors import CannotRun, PipelineError, UsageError
from pipeline.families import FAMILIES

if TYPE_CHECKING:
    from pipeline.hub.diff import ReleaseDiff, RowsDiff, Side

_SHOWN_FIELDS = 8


@click.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--changelog", is_flag=True, help="Print it as an entry of CHANGELOG.md.")
@click.option("--json", "as_json", is_flag=True, help="Print the difference as JSON.")
def command(first: str, second: str, changelog: bool, as_json: bool) -> None:
    """Show what differs between two releases: files, and rows with their fields.

    A and B are release folders, families (their folder in data/build), or NS/NAME@REVISION for a repo on the Hub.
    Rows are matched by id or seed; for each config and split it counts those that B adds, removes and changes, and the
    fields that change. From the Hub no more is read than that takes. Exits with 0 whether or not anything differs.

    \b
    Examples:
      closebench-hub diff me/closebench@v1.0.0 closebench
      closebench-hub diff me/closebench@v1.0.0 closebench --changelog
    """
    from pipeline.hub.diff import diff_releases
    from pipeline.text import printable

    if changelog and as_json:
        raise UsageError("--changelog and --json do not go together; leave one of them out")
    try:
        with ExitStack() as stack:
            difference = diff_releases(_open(first, stack), _open(second, stack))
    except PipelineError as problem:
        problem.args = (printable(str(problem)),)  # it may quote what stands in a repo
        raise
    if as_json:
        print_json(difference.to_dict())
    elif changelog:
        _print_changelog(difference)
    elif difference.is_empty:
        click.echo("the same")
    else:
        _print_files(difference)
        print_rows(difference)


def _open(name: str, stack: ExitStack) -> Side:
    from pipeline.hub.client import check_repo_id, connect
    from pipeline.hub.content import read_release
    from pipeline.hub.diff import LocalSide, open_remote

    repo_id, at, revision = name.rpartition("@")
    if at and name not in FAMILIES and not Path(name).is_dir():
        return stack.enter_context(open_remote(connect(), check_repo_id(repo_id), revision or "main"))
    if _may_be_repo(name) and not Path(name).is_dir():
        raise CannotRun(f"there is no folder {name}; for the Hub write {name}@REVISION, for example {name}@main")
    return LocalSide(read_release(release_folder(name, DEFAULT_OUT)))


def _may_be_repo(name: str) -> bool:
    from pipeline.hub.client import check_repo_id

    try:
        return bool(check_repo_id(name))
    except UsageError:
        return False


def _print_changelog(difference: ReleaseDiff) -> None:
    """Print the entry of a data version: rows by config and split, or that only files changed."""
    from pipeline.text import printable

    click.echo(f"### Data version {difference.versions[1]}, after {difference.versions[0]}\n")
    for part in difference.rows:
        fields = f" (in {', '.join(f'`{printable(field)}`' for field in sorted(part.fields))})" if part.fields else ""
        click.echo(
            f"- `{part.config}/{part.split}`: {part.added:,} rows added, {part.removed:,} removed, "
            f"{part.changed:,} changed{fields}."
        )
    if not difference.rows:
        click.echo("- Rows are the same in every config and split.")
    for word, paths in (("added", difference.added), ("removed", difference.removed), ("changed", difference.changed)):
        if paths:
            click.echo(f"- Files {word}: {', '.join(f'`{printable(path)}`' for path in paths)}.")


def _print_files(difference: ReleaseDiff) -> None:
    from pipeline.text import printable

    before, after = difference.versions
    click.echo(f"data version {before}" + (f" -> {after}" if after != before else " in both"))
    for word, paths in (("added", difference.added), ("removed", difference.removed), ("changed", difference.changed)):
        if paths:
            click.echo(f"files {word}: {', '.join(map(printable, paths))}")


def print_rows(difference: ReleaseDiff) -> None:
    """Print what changes in the rows, config by config and split by split."""
    from pipeline.text import printable

    if not difference.rows:
        click.echo("rows: the same in every config and split")
        return
    print_table(
        ("config", "split", "rows added", "removed", "changed", "for example"),
        [(part.config, part.split, part.added, part.removed, part.changed, _example(part)) for part in difference.rows],
    )
    for part in difference.rows:
        if part.fields:
            common = sorted(part.fields.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN_FIELDS]
            more = len(part.fields) - len(common)
            fields = ", ".join(f"{printable(field)} ({rows:,})" for field, rows in common)
            click.echo(f"{part.config}/{part.split} changed in: {fields}{f' and {more} more' if more else ''}")


def _example(part: RowsDiff) -> str:
    from pipeline.text import printable

    return "; ".join(
        f"{kind} {', '.join(map(printable, names[:2]))}" for kind, names in sorted(part.examples.items()) if names
    )
