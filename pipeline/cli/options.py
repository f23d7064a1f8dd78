"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.seeds import Seeds

DEFAULT_OUT = Path("data/build")

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    metavar="DIR",
    help="Folder that release folders lie in.",
)

source_option = click.option(
    "--src",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Use this checkout of the generator package instead of the installed one.",
)


class SeedsType(click.ParamType[Seeds]):
    """Seeds on the command line: ``1-50,1001-1050``."""

    name = "SEEDS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Seeds:
        """Parse the text; `Seeds.parse` words the errors."""
        return value if isinstance(value, Seeds) else Seeds.parse(str(value))
