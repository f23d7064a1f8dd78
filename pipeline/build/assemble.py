"""Puts a release folder together: shards through an engine, JSONL joined, pins checked, manifest and checksums."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from pipeline import resources
from pipeline.build.digest import FileDigest, digest_file
from pipeline.build.engines import EngineName, available_workers, map_in_order, open_engine
from pipeline.build.folder import ReleaseFolder
from pipeline.build.manifest import CARD, MANIFEST, SUMS, Manifest, SplitRows, release_checksums
from pipeline.build.plan import ROWS_PER_SHARD, SplitPlan, jsonl_path, plan_splits
from pipeline.build.shard import FORMATS, JSONL, PARQUET, ConfigPart, ShardJob, write_shard
from pipeline.card.canary import canary
from pipeline.card.render import render_card
from pipeline.families import get_family
from pipeline.families.base import Family
from pipeline.pins import check_pins, pin_name, read_pin
from pipeline.reading import read_lines
from pipeline.seeds import Seeds

_COPY_BYTES = 2**20
_NOWHERE = Path(os.devnull)


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What to build, and how.

    Attributes:
        family: the family's name.
        out: the folder that release folders lie in.
        splits: the wanted splits; none means all.
        seeds: the seeds; None means the published ones.
        engine: ``serial`` or ``process``.
        workers: processes; None means one a core.
        rows_per_shard: rows in a shard.
        formats: ``jsonl``, ``parquet`` or both.
        source: a checkout of the generator package.
        force: replace a folder that is not a release of the family.
    """

    family: str
    out: Path
    splits: tuple[str, ...] = ()
    seeds: Seeds | None = None
    engine: EngineName = "process"
    workers: int | None = None
    rows_per_shard: int = ROWS_PER_SHARD
    formats: tuple[str, ...] = FORMATS
    source: Path | None = None
    force: bool = False


def build_release(
    request: BuildRequest, progress: Callable[[int, int], object] = lambda done, total: None
) -> tuple[Path, Manifest]:
    """Build one family's release folder and put it in place.

    Args:
        request: what to build.
        progress: told how many items are done, and of how many, each time a shard is.

    Returns:
        The release folder and its manifest.

    Raises:
        UsageError: an unknown name, or something in the way.
        RowInvalid: a row that does not fit its schema.
        PinMismatch: rows of published seeds that are not the published ones.
        CannotRun: missing generator, dead worker.
        OSError: the output cannot be written.

        Whatever is raised, the previous folder stays as it was and nothing is left half-written.
    """
    family = get_family(request.family, request.source)
    plans = plan_splits(family, request.splits, request.seeds, request.rows_per_shard)
    generator = family.generator()  # before anything is written: a missing package is the commonest failure
    target = ReleaseFolder(request.out, family.name)
    with target.replace(force=request.force) as folder:
        rows = _Assembly(request, family, plans, folder)
        rows.write(progress)
        pinned = rows.check_pins()
        files = [*rows.files, *_copy_static_files(family, folder)]
        manifest = Manifest(
            family=family.name,
            data_version=family.data_version,
            canary=canary(family.name),
            pinned=pinned,
            generator=generator,
            versions=_versions(family, request.formats),
            formats=request.formats,
            rows_per_shard=request.rows_per_shard,
            configs=rows.splits,
            files=tuple(sorted(files, key=lambda file: file.path)),
        )
        (folder / MANIFEST).write_bytes(manifest.to_json())
        (folder / CARD).write_bytes(render_card(folder, family, manifest))
        (folder / SUMS).write_bytes(release_checksums(folder, manifest))
    return target.path, manifest


@dataclass
class _Assembly:
    """The rows of a release in the making."""

    request: BuildRequest
    family: Family
    plans: Sequence[SplitPlan]
    folder: Path
    files: list[FileDigest] = field(default_factory=list)
    splits: dict[str, dict[str, SplitRows]] = field(default_factory=dict)

    def write(self, progress: Callable[[int, int], object]) -> None:
        """Write all shards and join their lines in the order of the seeds."""
        folders = [".parts"]
        folders += ["data"] if JSONL in self.request.formats else []
        folders += self.family.configs if PARQUET in self.request.formats else []
        for name in folders:
            (self.folder / name).mkdir()
        joins = {
            (config, plan.split): _Join(
                self.folder,
                jsonl_path(config, plan.split),
                parts=plan.shard_count,
                keep=JSONL in self.request.formats,
            )
            for config in self.family.configs
            for plan in self.plans
        }
        done, total = 0, sum(plan.seeds.count for plan in self.plans)
        with closing(self._work()) as work:  # an error below must end the workers before the folder is cleared
            for job, parts in work:
                for config, part in parts.items():
                    joins[config, job.shard.split].add(part)
                    if part.parquet:
                        self.files.append(part.parquet)
                done += job.shard.seeds.count
                progress(done, total)
        (self.folder / ".parts").rmdir()
        for config in self.family.configs:
            self.splits[config] = {}
            for plan in self.plans:
                lines, rows = joins[config, plan.split].finish()
                self.splits[config][plan.split] = SplitRows(rows, str(plan.seeds), lines.bytes, lines.sha256)
                if JSONL in self.request.formats:
                    self.files.append(lines)

    def _work(self) -> Generator[tuple[ShardJob, dict[str, ConfigPart]], None, None]:
        jobs = (
            ShardJob(self.family.name, self.request.source, shard, self.folder, self.request.formats)
            for plan in self.plans
            for shard in plan.shards()
        )
        workers = min(self.request.workers or available_workers(), sum(plan.shard_count for plan in self.plans))
        with open_engine(self.request.engine, workers) as engine:
            yield from map_in_order(engine, workers, write_shard, jobs)

    def check_pins(self) -> bool:
        """Check every file that the pin covers; say whether all rows are pinned ones."""
        pinned = read_pin(self.family)
        covered = {
            pin_name(config, plan.split): (config, plan.split)
            for config in self.family.configs
            for plan in self.plans
            if plan.seeds == self.family.default_seeds[plan.split]
        }
        covered = {name: place for name, place in covered.items() if name in pinned}
        check_pins(
            self.family,
            {name: self.splits[config][split].rows_sha256 for name, (config, split) in covered.items()},
            lambda name: read_lines(self.folder, *covered[name]),
        )
        return len(covered) == len(self.plans) * len(self.family.configs)


class _Join:
    """Joins the part files of one split of one config, hashing as it goes.

    A lone part is moved, not copied, and its own digest serves.
    """

    def __init__(self, folder: Path, path: str, *, parts: int, keep: bool) -> None:
        self._folder, self._path, self._parts, self._keep = folder, path, parts, keep
        self._rows = self._bytes = 0
        self._digest = ""
        self._hash = hashlib.sha256()

    def add(self, part: ConfigPart) -> None:
        """Take the next part; its file is gone afterwards."""
        source = self._folder / part.lines.path
        self._rows += part.rows
        self._bytes += part.lines.bytes
        if self._parts == 1:
            self._digest = part.lines.sha256
            source.rename(self._folder / self._path) if self._keep else source.unlink()
            return
        with source.open("rb") as lines, (self._folder / self._path if self._keep else _NOWHERE).open("ab") as target:
            while chunk := lines.read(_COPY_BYTES):
                self._hash.update(chunk)
                target.write(chunk)
        source.unlink()

    def finish(self) -> tuple[FileDigest, int]:
        """Return the digest of all lines, and the number of rows."""
        return FileDigest(self._path, self._bytes, self._digest or self._hash.hexdigest()), self._rows


def _copy_static_files(family: Family, folder: Path) -> list[FileDigest]:
    """Copy the schemas and everything that ships with the data as it is: licence, git attributes, scripts."""
    copies = {f"schemas/{config}.json": resources.schema_path(family.name, config) for config in family.configs}
    copies |= resources.shipped_files(family)
    for path, source in copies.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return [digest_file(folder, path) for path in copies]


def _versions(family: Family, formats: tuple[str, ...]) -> dict[str, str]:
    generator = family.generator()
    versions = {generator.package: generator.version}
    if PARQUET in formats:
        versions["pyarrow"] = version("pyarrow")  # importing it here would cost as much as a hundred rows
    return versions
