"""``closebench-hub baselines``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.options import DEFAULT_OUT, release_folder
from pipeline.cli.output import print_json, print_table
from pipeline.cli.progress import progress
from pipeline.errors import CheckFailed, UsageError
from pipeline.families import FAMILIES

if TYPE_CHECKING:
    from pipeline.scoring.baselines import Baselines, Figures, Group

_SHOWN_DIFFERENCES = 10


@click.command("baselines")
@click.argument("names", nargs=-1, metavar="[FAMILY|FOLDER]...")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--write", is_flag=True, help="Write them to dataset_card/FAMILY/measured.json.")
@click.option("--check", is_flag=True, help="Compare them with that file instead; exit with 1 where they differ.")
def command(names: tuple[str, ...], as_json: bool, write: bool, check: bool) -> None:
    """Score the answers that need no work: the empty one, the lazy guesses and the truth.

    Measures the published seeds of every FAMILY named, or of all of them, generated anew; for a FOLDER the rows that
    it holds. Shows mean score, highest score and passes under each grader, for each run of seeds.

    \b
    Examples:
      closebench-hub baselines accounting_assistant
      closebench-hub baselines --check
    """
    if write and check:
        raise UsageError("--write and --check do not go together; choose one")
    folders = {name: release_folder(name, DEFAULT_OUT) for name in names if not _is_family(name)}
    if folders and (write or check):
        raise UsageError(f"--write and --check take families; {next(iter(folders))} is a folder")
    wanted = dict.fromkeys(names or FAMILIES)
    results = []
    with progress("baselines", "families") as show:
        for number, name in enumerate(wanted):
            show(number, len(wanted))
            results.append(_measure(name, folders.get(name)))
    if as_json:
        from pipeline.scoring.baselines import as_json as in_json

        print_json([{"family": baselines.family, **in_json(baselines)} for baselines in results])
    elif not (write or check):
        for baselines in results:
            _print(baselines)
    if write:
        _write(results)
    if check:
        _check(results)


def _is_family(name: str) -> bool:
    from pipeline.build.manifest import MANIFEST

    return name in FAMILIES and not (Path(name) / MANIFEST).is_file()


def _measure(name: str, folder: Path | None) -> Baselines:
    from pipeline.families import get_family
    from pipeline.scoring.baselines import measure_published
    from pipeline.scoring.folder_baselines import measure_folder

    return measure_published(get_family(name)) if folder is None else measure_folder(folder)


def _write(results: list[Baselines]) -> None:
    from pipeline.scoring.baselines import as_json
    from pipeline.scoring.measured import BASELINES, write_measured

    for baselines in results:
        click.echo(f"written to {write_measured(baselines.family, BASELINES, as_json(baselines))}", err=True)


def _check(results: list[Baselines]) -> None:
    from pipeline.scoring.baselines import as_json, differences
    from pipeline.scoring.measured import BASELINES, measured_path, read_measured

    drifted = []
    for baselines in results:
        committed = read_measured(baselines.family).get(BASELINES)
        found = list(differences(committed, as_json(baselines)))
        if not found:
            click.echo(f"{baselines.family}: the committed baselines are those measured", err=True)
            continue
        drifted.append(baselines.family)
        for line in found[:_SHOWN_DIFFERENCES]:
            click.echo(f"{measured_path(baselines.family)}: {line}", err=True)
        if len(found) > _SHOWN_DIFFERENCES:
            click.echo(f"and {len(found) - _SHOWN_DIFFERENCES} further differences", err=True)
    if drifted:
        again = " ".join(drifted)
        raise CheckFailed(f"the baselines of {again} have drifted; run: closebench-hub baselines {again} --write")


def _print(baselines: Baselines) -> None:
    click.echo(f"{baselines.family} {baselines.data_version}; headline score: {baselines.graders[0]}")
    click.echo("Under the name of a score stands its mean, then its highest row and the rows that pass.")
    for group in baselines.groups:
        _print_group(baselines, group)
    click.echo()


def _print_group(baselines: Baselines, group: Group) -> None:
    from pipeline.scoring.baselines import ALL_SPLITS

    where = f"split {group.split}, seeds {group.seeds}" if group.split else ALL_SPLITS
    click.echo(f"\n{where}: {group.rows:,} rows")
    print_table(
        ("answer", *(heading for grader in baselines.graders for heading in (grader, "max", "passed"))),
        [
            (answer, *(cell for grader in baselines.graders for cell in _cells(figures[grader], group.rows)))
            for answer, figures in group.answers.items()
        ],
    )
    if group.lazy_floor is not None:
        floor = group.answers[group.lazy_floor][baselines.graders[0]]
        click.echo(f"lazy floor: {floor.mean:.3f}, at most {floor.maximum:.3f} a row ({group.lazy_floor})")


def _cells(figures: Figures, rows: int) -> tuple[str, str, str]:
    return f"{figures.mean:.3f}", f"{figures.maximum:.3f}", f"{figures.passed:,}/{rows:,}"
