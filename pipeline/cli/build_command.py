"""``closebench-hub build``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.build.engines import ENGINES
from pipeline.build.plan import ROWS_PER_SHARD
from pipeline.cli.options import SeedsType, check_workers, out_option, source_option
from pipeline.cli.output import print_json, print_table
from pipeline.cli.progress import progress
from pipeline.errors import UsageError
from pipeline.families import FAMILIES

if TYPE_CHECKING:
    from pipeline.build.manifest import Manifest
    from pipeline.seeds import Seeds


@click.command("build", short_help="Build release folders.")
@click.argument("families", nargs=-1, metavar="[FAMILY]...")
@out_option
@click.option("--seeds", type=SeedsType(), help="Seeds instead of the published ones, such as 1-50,1001-1050.")
@click.option("--split", "splits", multiple=True, help="Build this split only; may be repeated.")
@click.option(
    "--engine", type=click.Choice(ENGINES), default="process", show_default=True, help="Where shards are made."
)
@click.option("--workers", type=click.IntRange(min=1), help="Processes of the pool.  [default: one a core]")
@click.option(
    "--rows-per-shard",
    type=click.IntRange(min=1),
    default=ROWS_PER_SHARD,
    show_default=True,
    help="Rows in a Parquet file; JSONL is one file a split whatever this says.",
)
@click.option("--formats", default="jsonl,parquet", show_default=True, help="What to write: jsonl, parquet or both.")
@source_option
@click.option("--force", is_flag=True, help="Replace a folder that this command did not make.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifests as JSON.")
def command(
    families: tuple[str, ...],
    out: Path,
    seeds: Seeds | None,
    splits: tuple[str, ...],
    engine: Any,
    workers: int | None,
    rows_per_shard: int,
    formats: str,
    source: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Build release folders: JSONL, Parquet, schemas, manifest and checksums.

    Builds every FAMILY named, or all that have the wanted splits, into DIR/FAMILY. A build of the published seeds must
    reproduce the committed SHA-256 of its data version. The folder is replaced as a whole, or not at all.

    \b
    Examples:
      closebench-hub build
      closebench-hub build closebench --split en --seeds 1-20000
    """
    from pipeline.build.assemble import BuildRequest, build_release
    from pipeline.build.plan import plan_splits
    from pipeline.families import get_family

    check_workers(engine, workers)
    names = families or [name for name in FAMILIES if _fits(name, splits, source)]
    if not names:
        also = " and takes --src" if source else ""
        raise UsageError(f"no family has the split {' and '.join(splits)}{also}; see: closebench-hub list")
    requests = [
        BuildRequest(
            family=name,
            out=out,
            splits=splits,
            seeds=seeds,
            engine=engine,
            workers=workers,
            rows_per_shard=rows_per_shard,
            formats=_parse_formats(formats),
            source=source,
            force=force,
        )
        for name in dict.fromkeys(names)
    ]
    for request in requests:  # before the first is built, so that wrong usage costs nothing
        plan_splits(get_family(request.family, source), splits, seeds, rows_per_shard)
    built = []
    for request in requests:
        with progress(f"build {request.family}", "items") as show:
            path, manifest = build_release(request, show)
        built.append({"path": str(path), **asdict(manifest)})
        if not as_json:
            _print_release(path, manifest)
    if as_json:
        print_json(built)


def _fits(name: str, splits: tuple[str, ...], source: Path | None) -> bool:
    """Tell whether a family that nobody named has the wanted splits, and a generator package that --src can be of."""
    from pipeline.families import get_family

    try:
        return set(splits) <= set(get_family(name, source).splits)
    except UsageError:
        return False


def _parse_formats(text: str) -> tuple[str, ...]:
    from pipeline.build.shard import FORMATS

    wanted = [part.strip() for part in text.split(",")]
    unknown = [part for part in wanted if part not in FORMATS]
    if unknown or len(set(wanted)) < len(wanted):
        raise UsageError(f"--formats {text!r}: write jsonl, parquet or jsonl,parquet")
    return tuple(format for format in FORMATS if format in wanted)


def _print_release(path: Path, manifest: Manifest) -> None:
    click.echo(f"{manifest.family} {manifest.data_version}: {path}")
    print_table(
        ("config", "split", "rows", "bytes as JSONL", "SHA-256 of the rows"),
        [
            (config, split, rows.rows, rows.bytes, rows.rows_sha256)
            for config, by_split in manifest.configs.items()
            for split, rows in by_split.items()
        ],
    )
    if manifest.pinned:
        click.echo(f"pin: every row is that of data/pins/{manifest.family}-{manifest.data_version}.sha256")
    else:
        click.echo("pin: none applies to these seeds; the rows prove themselves only by a second build")
