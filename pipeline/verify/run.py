"""Runs the checks on a folder; what one finds stops none of the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.build.digest import FileDigest
from pipeline.build.engines import EngineName, available_workers, map_in_order, open_engine
from pipeline.build.manifest import MANIFEST, SUMS, Manifest
from pipeline.build.plan import SplitPlan, jsonl_path
from pipeline.build.shard import JSONL, PARQUET
from pipeline.errors import CannotRun, UsageError
from pipeline.families import get_family
from pipeline.families.base import Family
from pipeline.verify import load
from pipeline.verify.files import check_files, check_sums_alone, load_manifest, plans_of, read_folder
from pipeline.verify.lines import line_offsets
from pipeline.verify.report import CHECKS, Report, Tally, make_report
from pipeline.verify.rows import ShardJob, ShardResult, check_shard
from pipeline.verify.sample import sample_seeds


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What to verify, and how.

    Attributes:
        folder: the release folder.
        subject: what the report calls it; the folder if None.
        sample: seeds of each split to rebuild, grade and search for leaks; None for all.
        sample_seed: what the sample depends on.
        source: a checkout of the generator package.
        skip: checks that are not wanted; *files* always runs, for the others build on it.
        engine: ``serial`` or ``process``.
        workers: processes; None means one a core.
    """

    folder: Path
    subject: str | None = None
    sample: int | None = None
    sample_seed: int = 0
    source: Path | None = None
    skip: frozenset[str] = frozenset()
    engine: EngineName = "process"
    workers: int | None = None


def verify_folder(request: VerifyRequest, progress: Callable[[int, int], object] = lambda done, total: None) -> Report:
    """Verify a release folder.

    Args:
        request: what to verify.
        progress: told the units done and in all, a row of each split once for the rows and once for loading.

    Returns:
        The report. Whatever is wrong with the folder is a finding in it.

    Raises:
        CannotRun: the folder has neither manifest nor checksums, so that it is no release folder at all.
        GeneratorMissing: the generator package is absent or of another version.
        WorkerDied: a worker ended without an answer.
    """
    if not any(os.path.lexists(request.folder / name) for name in (MANIFEST, SUMS)):
        raise CannotRun(
            f"{request.folder} is no release folder: it has neither {MANIFEST} nor {SUMS}; name one, or build it"
        )
    return _Verification(request, progress).run()


class _Verification:
    """One run: the tallies of the checks, and what they share."""

    def __init__(self, request: VerifyRequest, progress: Callable[[int, int], object]) -> None:
        self._request, self._progress = request, progress
        self._tallies = {check: Tally() for check in CHECKS}
        for check in request.skip:
            self._tallies[check].skipped = "left out on request"
        self._done = self._total = 0

    def run(self) -> Report:
        request = self._request
        files = self._tallies["files"]
        manifest = load_manifest(request.folder, files)
        present = read_folder(request.folder, files)
        if manifest is None:
            files.findings.extend(check_sums_alone(request.folder, present))
            return self._stop("", "", "there is no manifest to go by")
        try:
            family = get_family(manifest.family, request.source)
        except UsageError:
            if request.source is not None:
                raise
            files.find("files", MANIFEST, f"names a family {manifest.family!r} unknown here")
            files.findings.extend(check_sums_alone(request.folder, present))
            return self._stop(manifest.family, manifest.data_version, "the manifest names no family known here")
        plans = plans_of(manifest, family, files)
        if not plans:
            files.findings.extend(check_sums_alone(request.folder, present))
            return self._stop(family.name, manifest.data_version, "the manifest contradicts itself")
        files.findings.extend(check_files(request.folder, present, manifest, family, plans))
        self._total = sum(plan.seeds.count for plan in plans) * (1 if "load" in request.skip else 3)
        self._check_rows(manifest, family, plans, present)
        self._check_load(manifest, family, plans)
        return self._report(family.name, manifest.data_version)

    def _stop(self, family: str, data_version: str, reason: str) -> Report:
        for check in CHECKS[1:]:
            self._tallies[check].skipped = self._tallies[check].skipped or reason
        return self._report(family, data_version)

    def _report(self, family: str, data_version: str) -> Report:
        subject = self._request.subject or str(self._request.folder)
        return make_report(subject, family, data_version, self._tallies.items())

    def _advance(self, rows: int) -> None:
        self._done += rows
        self._progress(self._done, self._total)

    def _check_rows(
        self, manifest: Manifest, family: Family, plans: tuple[SplitPlan, ...], present: dict[str, FileDigest]
    ) -> None:
        wanted = frozenset(CHECKS) - self._request.skip
        if PARQUET not in manifest.formats and "parquet" in wanted:
            self._tallies["parquet"].skipped = "the folder holds no Parquet"
        if not wanted & {"rebuild", "parquet", "grading", "leaks"}:
            return
        jobs = self._jobs(manifest, family, plans, present, wanted)
        workers = min(self._request.workers or available_workers(), sum(plan.shard_count for plan in plans))
        digests: dict[str, list[tuple[str, str]]] = {}
        with open_engine(self._request.engine, workers) as engine:
            for job, result in map_in_order(engine, workers, check_shard, jobs):
                self._take(result, wanted)
                digests.setdefault(job.shard.split, []).append((result.parallel_sha256, str(job.shard.seeds)))
                self._advance(job.shard.seeds.count)
        if "grading" in wanted and family.parallel_splits:
            for group in family.parallel_groups:
                self._compare_splits({split: parts for split, parts in digests.items() if split in group})

    def _take(self, result: ShardResult, wanted: frozenset[str]) -> None:
        for check, tally in result.tallies.items():
            if check in wanted:
                self._tallies[check].merge(tally)

    def _compare_splits(self, digests: dict[str, list[tuple[str, str]]]) -> None:
        """Check that parallel splits have the same numbers wherever they hold the same seeds."""
        first = next(iter(digests), "")
        for split, parts in digests.items():
            for (digest, seeds), (other, other_seeds) in zip(digests[first], parts, strict=False):
                if seeds == other_seeds and digest != other:
                    message = f"seeds {seeds}: the numbers differ from those of {first}"
                    self._tallies["grading"].find("grading", split, message)

    def _jobs(
        self,
        manifest: Manifest,
        family: Family,
        plans: tuple[SplitPlan, ...],
        present: dict[str, FileDigest],
        wanted: frozenset[str],
    ) -> Iterator[ShardJob]:
        request = self._request
        chosen: dict[str, frozenset[int]] = {}
        if request.sample is not None:
            chosen = sample_seeds(plans, request.sample, request.sample_seed)
        listed = {file.path: file for file in manifest.files}
        for plan in plans:
            offsets = self._offsets(manifest, family, plan, present)
            for shard in plan.shards():
                paths = {config: shard.parquet_path(config) for config in family.configs}
                intact = tuple(
                    config for config, path in paths.items() if path in present and present[path] == listed.get(path)
                )
                if "parquet" in wanted and PARQUET in manifest.formats:
                    self._say_unread([path for config, path in paths.items() if config not in intact])
                yield ShardJob(
                    family=family.name,
                    source=request.source,
                    folder=request.folder,
                    shard=shard,
                    jsonl=JSONL in manifest.formats,
                    offsets={
                        config: starts[shard.index] for config, starts in offsets.items() if shard.index < len(starts)
                    },
                    parquet=intact if "parquet" in wanted else (),
                    pyarrow=manifest.versions.get("pyarrow", ""),
                    chosen=chosen.get(plan.split),
                    checks=wanted,
                )

    def _offsets(
        self, manifest: Manifest, family: Family, plan: SplitPlan, present: dict[str, FileDigest]
    ) -> dict[str, list[int]]:
        """Find where shards begin in the JSONL files, and whether these go on after the last row."""
        if JSONL not in manifest.formats:
            return {}
        offsets: dict[str, list[int]] = {}
        for config in family.configs:
            path = jsonl_path(config, plan.split)
            offsets[config] = []
            if path not in present:
                continue
            offsets[config], lines = line_offsets(self._request.folder / path, plan.rows_per_shard)
            if lines != plan.seeds.count:
                self._tallies["rebuild"].find("rebuild", path, f"has {lines} lines for {plan.seeds.count} seeds")
        return offsets

    def _say_unread(self, paths: list[str]) -> None:
        """A damaged Parquet file is not read: its bytes could be made to harm the reader."""
        for path in paths:
            message = "was not read, for it is not the file that the manifest lists"
            self._tallies["parquet"].find("parquet", path, message)

    def _check_load(self, manifest: Manifest, family: Family, plans: tuple[SplitPlan, ...]) -> None:
        tally = self._tallies["load"]
        if "load" in self._request.skip:
            return
        damaged = {finding.place for finding in self._tallies["parquet"].findings}
        tally.skipped = load.why_not(manifest) or ("the check parquet found damage" if damaged else None)
        if tally.skipped is None:
            load.check_load(self._request.folder, family, plans, self._advance, tally)
