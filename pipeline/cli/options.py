"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.errors import UsageError
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


def check_workers(engine: str, workers: int | None) -> None:
    """Refuse a number of workers for the engine that has none.

    Raises:
        UsageError: saying which option to leave out.
    """
    if workers is not None and engine == "serial":
        raise UsageError("--workers goes with --engine process; leave one of them out")


def release_folder(name: str, out: Path) -> Path:
    """Find the release folder that ``FAMILY|FOLDER`` means.

    An argument with a ``/`` in it, or a folder that holds a manifest, is a folder; anything else is a family, whose
    folder is `out`/FAMILY.

    Raises:
        UsageError: neither a folder nor a family.
        CannotRun: there is no such folder yet.
    """
    from pipeline.build.folder import ReleaseFolder
    from pipeline.build.manifest import MANIFEST
    from pipeline.errors import CannotRun
    from pipeline.families import get_family

    if "/" in name or (Path(name) / MANIFEST).is_file():
        if not Path(name).is_dir():
            raise CannotRun(f"there is no folder {name}; name a release folder or a family")
        return Path(name)
    get_family(name)
    release = ReleaseFolder(out, name)
    release.settle()
    if not release.path.is_dir():
        raise CannotRun(f"there is no release folder {release.path}; run: closebench-hub build {name}")
    return release.path
