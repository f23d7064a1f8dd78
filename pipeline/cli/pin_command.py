"""``closebench-hub pin``."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.cli.options import out_option, release_folder


@click.command("pin", short_help="Commit to the rows of a build.")
@click.argument("family_name", metavar="FAMILY")
@out_option
def command(family_name: str, out: Path) -> None:
    """Commit to the rows of a build: write the pin of FAMILY's data version.

    Reads DIR/FAMILY, a build of the published seeds. A pin that exists is never changed: rows that differ need a
    new data version.

    \b
    Example:
      closebench-hub build reconcile_ledger && closebench-hub pin reconcile_ledger
    """
    from pipeline.families import get_family
    from pipeline.pins import write_pin

    family = get_family(family_name)
    click.echo(f"pinned in {write_pin(family, release_folder(family.name, out))}")
