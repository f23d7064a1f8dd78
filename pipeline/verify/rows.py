"""What a worker does with one shard: rebuild, grade, look for leaks, compare Parquet.

It returns tallies, never rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from pipeline.build.encode import canonical_line
from pipeline.build.plan import Shard, jsonl_path
from pipeline.build.shard import without_cycle_collection
from pipeline.families import get_family
from pipeline.families.base import Family, Item, Row
from pipeline.families.leaks import leaked_texts
from pipeline.verify.lines import ABSENT, DamagedLines, first_difference, shard_lines
from pipeline.verify.parquet import ParquetCheck
from pipeline.verify.report import Tally

_ROW_CHECKS = ("rebuild", "grading", "leaks")
_SHOWN = 120  # characters of a value in a finding


@dataclass(frozen=True, slots=True)
class ShardJob:
    """Everything a worker needs to know.

    Attributes:
        family: the family's name.
        source: a checkout of its generator package.
        folder: the release folder.
        shard: the shard.
        jsonl: whether the release has JSONL; else the rows are read from Parquet.
        offsets: where the shard's lines begin in the JSONL file of each config; a config without is missing.
        parquet: the configs whose Parquet file is to be compared; the others' are damaged, or not there.
        pyarrow: the pyarrow version that the manifest names.
        chosen: the seeds to rebuild and grade; None for all.
        checks: which checks to run.
    """

    family: str
    source: Path | None
    folder: Path
    shard: Shard
    jsonl: bool
    offsets: dict[str, int]
    parquet: tuple[str, ...]
    pyarrow: str
    chosen: frozenset[int] | None
    checks: frozenset[str]


@dataclass(slots=True)
class ShardResult:
    """What came out: a tally for each check, and a digest of what parallel splits must have in common."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {check: Tally() for check in _ROW_CHECKS})
    parallel_sha256: str = ""


@without_cycle_collection()
def check_shard(job: ShardJob) -> ShardResult:
    """Check one shard of a release folder."""
    family = get_family(job.family, job.source)
    result = ShardResult()
    places = {config: _place(job, config) for config in family.configs}
    parquet = {config: ParquetCheck(job.folder, job.family, config, job.shard, job.pyarrow) for config in job.parquet}
    sources = {config: _Lines(job, config, result.tallies["rebuild"], places[config]) for config in family.configs}
    parallel = hashlib.sha256()
    for index, seed in enumerate(job.shard.seeds):
        lines = {config: source.next(index, seed) for config, source in sources.items()}
        if all(line is None for line in lines.values()):
            break  # a manifest may promise any number of rows; no more are made than the folder has
        if job.chosen is not None and seed not in job.chosen:
            for config, check in parquet.items():
                check.add(lines[config])
            continue
        item = family.generate(job.shard.split, seed)
        for config, row in zip(family.configs, (item.public, item.truth), strict=True):
            expected = canonical_line(row, places[config])
            if config in parquet:
                parquet[config].add(expected)
            found = lines[config]
            if "rebuild" in job.checks and found is not None:
                result.tallies["rebuild"].count(rows=1)
                if found != expected:
                    _say_difference(result.tallies["rebuild"], places[config], seed, row, found)
        if "grading" in job.checks:
            _grade(family, item, seed, job.shard.split, result.tallies["grading"])
        if "leaks" in job.checks:
            _find_leaks(family, item, seed, places[family.public_config], lines, result.tallies["leaks"])
        if family.parallel_splits:
            parallel.update(orjson.dumps(family.parallel_view(item)))
    result.parallel_sha256 = parallel.hexdigest()
    if parquet:
        tally = result.tallies["parquet"] = Tally()
        for check in parquet.values():
            tally.merge(check.finish())
    return result


def _place(job: ShardJob, config: str) -> str:
    return jsonl_path(config, job.shard.split) if job.jsonl else job.shard.parquet_path(config)


class _Lines:
    """The lines of one config, one at a time; None from where the file ends or cannot be read on."""

    def __init__(self, job: ShardJob, config: str, tally: Tally, place: str) -> None:
        self._lines: Iterator[bytes] = iter(())
        self._count, self._ended = job.shard.seeds.count, False
        self._tally, self._place = tally, place
        if not job.jsonl or config in job.offsets:
            self._lines = shard_lines(job.folder, config, job.shard, job.offsets.get(config))

    def next(self, index: int, seed: int) -> bytes | None:
        """Return the line of a row; where there is none for the first time, say how many are missing."""
        if self._ended:
            return None
        try:
            line = next(self._lines, None)
        except DamagedLines as problem:
            self._tally.find("rebuild", self._place, str(problem))
            line = None
        if line is None:
            self._ended = True
            self._tally.find("rebuild", self._place, f"{self._count - index:,} rows are missing, from seed {seed} on")
        return line


def _say_difference(tally: Tally, place: str, seed: int, row: Row, found: bytes) -> None:
    """Say where a line of the folder first differs from the generator's row."""
    tally.count(differing=1)
    try:
        difference = first_difference(row, orjson.loads(found))
    except orjson.JSONDecodeError as error:
        tally.find("rebuild", place, f"seed {seed}: the line is no JSON: {error}")
        return
    if difference is None:
        message = "the same values in other bytes (order of keys, spacing, escapes or line end)"
    else:
        path, wanted, got = difference
        message = f"{path or 'the row'} is {_show(got)}; the generator gives {_show(wanted)}"
    tally.find("rebuild", place, f"seed {seed}: {message}")


def _show(value: Any) -> str:
    text = repr(value) if value is ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _grade(family: Family, item: Item, seed: int, split: str, tally: Tally) -> None:
    """Check that the oracle scores 1 and an empty answer 0, under every grader."""
    tally.count(rows=1)
    oracles = {grader: family.oracle(item, grader) for grader in family.graders}
    grades = {answer: family.grade(item, answer) for answer in dict.fromkeys([*oracles.values(), family.empty_answer])}
    for grader, answer in oracles.items():
        for what, text, score in (("the oracle", answer, 1.0), ("an empty answer", family.empty_answer, 0.0)):
            grade = grades[text][grader]
            if (grade.score, grade.passed) != (score, score == 1.0):
                message = f"seed {seed}: {what} scores {grade.score} under {grader} grading: {grade.error}"
                tally.find("grading", split, message)


def _find_leaks(
    family: Family, item: Item, seed: int, place: str, lines: dict[str, bytes | None], tally: Tally
) -> None:
    """Look for the answer key in the public row as the folder has it."""
    tally.count(rows=1)
    line = lines[family.public_config]
    if line is not None and line != canonical_line(item.public, place):
        try:
            item = Item(orjson.loads(line), item.truth)
        except orjson.JSONDecodeError:
            return  # the check rebuild has said so
    for text in leaked_texts(family, item):
        tally.find("leaks", place, f"seed {seed}: the public row holds {text!r} of the answer key")
