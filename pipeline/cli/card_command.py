"""``closebench-hub card``."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.cli.options import out_option, release_folder
from pipeline.families import FAMILIES


@click.command("card", short_help="Render dataset cards anew, or check them.")
@click.argument("names", nargs=-1, metavar="[FAMILY|FOLDER]...")
@out_option
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a card is not up to date.")
def command(names: tuple[str, ...], out: Path, check: bool) -> None:
    """Render the dataset cards of release folders anew, from their rows as they are.

    A card is a pure function of template, metadata, schemas, manifest, rows and measurements; `build` renders it
    too. This command follows a change of a template or of a measurement without building the rows again.

    \b
    Examples:
      closebench-hub card closebench
      closebench-hub card --check
    """
    from pipeline.build.manifest import CARD
    from pipeline.card.refresh import is_current, refresh_card

    stale = 0
    for folder in [release_folder(name, out) for name in dict.fromkeys(names or FAMILIES)]:
        if not check:
            click.echo(f"{folder / CARD}: {'rendered' if refresh_card(folder) else 'was up to date'}")
        elif is_current(folder):
            click.echo(f"{folder / CARD}: up to date")
        else:
            stale += 1
            click.echo(f"{folder / CARD}: not what its rows render to; run: closebench-hub card {folder}/")
    if stale:
        raise click.exceptions.Exit(1)
