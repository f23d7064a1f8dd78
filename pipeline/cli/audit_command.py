"""``closebench-hub audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.options import DEFAULT_OUT, release_folder, source_option
from pipeline.cli.output import print_json, print_table
from pipeline.cli.progress import progress
from pipeline.errors import CheckFailed, UsageError
from pipeline.families import FAMILIES

if TYPE_CHECKING:
    from pipeline.audit.rows import Rows
    from pipeline.audit.run import Audit

_SECTIONS = ("claims", "shortcuts", "floors", "identity")
_NEEDS = {"artefacts": "shortcuts", "claims": "claims"}
"""What an audit can fail on, and the section that finds it."""


@click.command("audit")
@click.argument("name", metavar="FAMILY|FOLDER")
@click.option("--section", "sections", multiple=True, type=click.Choice(_SECTIONS), help="Only this; repeatable.")
@click.option("--fail-on", multiple=True, type=click.Choice(tuple(_NEEDS)), help="Exit with 1 on these; repeatable.")
@click.option("--search", "tried", type=click.IntRange(1, 10**9), help="Seeds tried, from 0 on.  [default: 10000]")
@click.option("--permutations", type=click.IntRange(min=99), help="Shuffles of the probe.  [default: enough]")
@source_option
@click.option("--write", is_flag=True, help="Write the audit to dataset_card/FAMILY/measured.json.")
@click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON.")
def command(
    name: str,
    sections: tuple[str, ...],
    fail_on: tuple[str, ...],
    tried: int | None,
    permutations: int | None,
    source: Path | None,
    write: bool,
    as_json: bool,
) -> None:
    """Measure how far an agent gets without doing the accounting.

    FAMILY means its published rows, generated anew; FOLDER the rows of a release folder. Four sections: *claims*
    checks every statement about the rows on all of them; *shortcuts* counts what rules guess that read only what an
    agent sees, and trains a probe on the form of the rows; *floors* grades answers from nothing to the truth;
    *identity* searches the seeds of the rows.

    \b
    Examples:
      closebench-hub audit closebench
      closebench-hub audit data/build/reconcile_ledger --fail-on artefacts --fail-on claims
      closebench-hub audit closebench --section identity --search 1000000
    """
    from pipeline.audit.run import SECTIONS, run_audit

    wanted = [section for section in SECTIONS if section in (sections or SECTIONS)]
    for cause in fail_on:
        if _NEEDS[cause] not in wanted:
            raise UsageError(f"--fail-on {cause} needs the section {_NEEDS[cause]}; add --section {_NEEDS[cause]}")
    if write and (as_json or sections or permutations or tried or not _is_family(name)):
        raise UsageError("--write takes a whole audit of a FAMILY with all defaults; leave the other options out")
    audit = run_audit(_rows(name, source), wanted, tried=tried, permutations=permutations, show_work=progress)
    if write:
        _write(audit)
    elif as_json:
        _print_json(audit)
    else:
        _print(audit)
    _fail(audit, fail_on)


def _is_family(name: str) -> bool:
    from pipeline.build.manifest import MANIFEST

    return name in FAMILIES and not (Path(name) / MANIFEST).is_file()


def _rows(name: str, source: Path | None) -> Rows:
    from pipeline.audit.rows import folder_rows, published_rows

    if _is_family(name):
        with progress("rows", "rows") as show:
            return published_rows(name, source, show)
    folder = release_folder(name, DEFAULT_OUT)
    if source is not None:
        raise UsageError("--src goes with a family; the rows of a folder are there already")
    with progress("rows", "rows") as show:
        return folder_rows(folder, show)


def _write(audit: Audit) -> None:
    from pipeline.audit.report import AUDIT, as_json
    from pipeline.scoring.measured import write_measured

    click.echo(f"written to {write_measured(audit.rows.family.name, AUDIT, as_json(audit))}")


def _print_json(audit: Audit) -> None:
    from pipeline.audit.report import as_json

    print_json({audit.rows.family.name: as_json(audit)})


def _print(audit: Audit) -> None:
    from pipeline.audit.tables import tables

    rows = audit.rows
    click.echo(f"{rows.family.name} {rows.data_version}: {rows.count:,} rows in {', '.join(rows.splits)}")
    for table in tables(audit):
        click.echo(f"\n{table.title}")
        if table.rows:
            print_table(table.header, table.rows)
        for note in table.notes:
            click.echo(note)


def _fail(audit: Audit, causes: tuple[str, ...]) -> None:
    failures = []
    if "claims" in causes and (broken := audit.broken_claims):
        failures.append(f"{len(broken)} claims are broken: {', '.join(claim.name for claim in broken)}")
    if "artefacts" in causes and (artefacts := audit.artefacts):
        failures.append(f"{len(artefacts)} artefacts give something away, first {artefacts[0]}")
    if failures:
        raise CheckFailed("; ".join(failures))
