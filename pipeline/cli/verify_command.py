"""``closebench-hub verify``."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.build.engines import ENGINES
from pipeline.cli.options import check_workers, out_option, release_folder, source_option
from pipeline.cli.output import print_json
from pipeline.cli.progress import progress
from pipeline.errors import UsageError
from pipeline.families import FAMILIES
from pipeline.text import printable

if TYPE_CHECKING:
    from pipeline.verify.report import Report
    from pipeline.verify.run import VerifyRequest

_SKIPPABLE = ("rebuild", "parquet", "grading", "leaks", "load")


@click.command("verify", short_help="Prove release folders, or a published one.")
@click.argument("names", nargs=-1, metavar="[FAMILY|FOLDER]...")
@out_option
@click.option("--n", "sample", type=click.IntRange(min=1), help="Rebuild and grade N seeds of each split, not all.")
@click.option("--sample-seed", type=click.IntRange(min=0), help="Repeat the sample of an earlier run; goes with --n.")
@click.option("--skip", multiple=True, type=click.Choice(_SKIPPABLE), help="Leave this check out; may be repeated.")
@click.option("--engine", type=click.Choice(ENGINES), default="process", show_default=True, help="How shards are read.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of the pool.  [default: one a core]")
@source_option
@click.option("--repo-id", metavar="NS/NAME", help="Verify what the Hub serves for this dataset repo instead.")
@click.option("--revision", metavar="REV", help="Its tag, branch or commit; goes with --repo-id.  [default: main]")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
def command(
    names: tuple[str, ...],
    out: Path,
    repo_id: str | None,
    revision: str | None,
    sample: int | None,
    sample_seed: int | None,
    skip: tuple[str, ...],
    engine: Any,
    workers: int | None,
    source: Path | None,
    as_json: bool,
) -> None:
    """Prove release folders: files, rows, Parquet, grading, leaks, loading.

    Trusts nothing in the folder. Every row is made again from its seed and compared byte for byte; every check
    reports all that it finds, and none stops another. Exits with 1 if anything was found.

    With --repo-id the revision is resolved to one commit, of which the release's files are downloaded into a temporary
    folder; one more check, `hub`, compares the Hub's listing and checksums with the manifest and with what was served.

    \b
    Examples:
      closebench-hub verify
      closebench-hub verify closebench --n 5
      closebench-hub verify ./downloaded/closebench --json
      closebench-hub verify --repo-id me/closebench --revision v1.0.0
    """
    from pipeline.verify.run import VerifyRequest

    if sample_seed is not None and sample is None:
        raise UsageError("--sample-seed goes with --n; say how many seeds to sample")
    check_workers(engine, workers)
    if sample is not None and sample_seed is None:
        sample_seed = secrets.randbelow(2**32)
    if repo_id is None and revision is not None:
        raise UsageError("--revision goes with --repo-id; name the dataset repo")
    if repo_id is not None and names:
        raise UsageError(f"{names[0]} and --repo-id do not go together; leave one of them out")
    request = VerifyRequest(
        folder=out,
        sample=sample,
        sample_seed=sample_seed or 0,
        source=source,
        skip=frozenset(skip),
        engine=engine,
        workers=workers,
    )
    reports = []
    for verify in _subjects(names, out, repo_id, revision or "main", request):
        report = verify()
        reports.append(report)
        if not as_json:
            _print_report(report, sample, sample_seed)
    if as_json:
        print_json([report.to_dict() for report in reports])
    if not all(report.passed for report in reports):
        raise click.exceptions.Exit(1)


def _subjects(
    names: tuple[str, ...], out: Path, repo_id: str | None, revision: str, request: VerifyRequest
) -> list[Callable[[], Report]]:
    """Return what is to be verified, each as a call that verifies it."""
    if repo_id is not None:
        return [partial(_verify_revision, repo_id, revision, request)]
    folders = [release_folder(name, out) for name in dict.fromkeys(names or FAMILIES)]
    return [partial(_verify_folder, replace(request, folder=folder)) for folder in folders]


def _verify_folder(request: VerifyRequest) -> Report:
    from pipeline.verify.run import verify_folder

    with progress(f"verify {request.folder.name}", "rows") as show:
        return verify_folder(request, show)


def _verify_revision(repo_id: str, revision: str, request: VerifyRequest) -> Report:
    from pipeline.hub.client import check_repo_id, connect
    from pipeline.hub.remote import verify_revision

    check_repo_id(repo_id)
    with progress(f"verify {repo_id}", "rows") as show:
        return verify_revision(connect(), repo_id, revision, request, show)


def _print_report(report: Report, sample: int | None, sample_seed: int | None) -> None:
    name = f"{report.family} {report.data_version}: " if report.family else ""
    click.echo(printable(f"{name}{report.subject}"))
    for result in report.results:
        counts = ", ".join(f"{number:,} {unit}" for unit, number in result.counts.items())
        click.echo(f"  {result.check:<8}  {result.status:<8}{counts or result.reason or ''}".rstrip())
        for line in (*(f"{finding.place}: {finding.message}" for finding in result.findings), *result.notes):
            click.echo(f"    {printable(line)}")
    if sample is not None:
        click.echo(f"  sampled: {sample} seeds of each split; --sample-seed {sample_seed} repeats it")
    found = len(report.findings)
    skipped = [result.check for result in report.results if result.status == "skipped"]
    left_out = f"; not checked: {', '.join(skipped)}" if skipped else ""
    verdict = (
        f"{found} finding{'s' * (found > 1)}" if found else "nothing was found" if skipped else "every check passed"
    )
    click.echo(f"  result: {verdict}{left_out}")
