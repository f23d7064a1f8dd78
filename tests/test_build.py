"""A release folder: what is in it, and that the same seeds always give the same bytes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import FOUR_SEEDS, Outcome, contents, hub_process

from pipeline import resources
from pipeline.build.encode import canonical_line
from pipeline.build.manifest import read_manifest
from pipeline.card.canary import canary
from pipeline.reading import read_parquet


def test_the_folder_holds_what_it_should(release: Path) -> None:
    assert set(contents(release)) >= {
        ".gitattributes",
        "LICENSE",
        "SHA256SUMS",
        "manifest.json",
        *(f"data/{config}-{split}.jsonl" for config in ("worlds", "truth") for split in ("en", "ru")),
        *(f"{config}/{split}-00000-of-00001.parquet" for config in ("worlds", "truth") for split in ("en", "ru")),
        "schemas/worlds.json",
        "schemas/truth.json",
    }


def test_sha256sum_agrees(release: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=release, check=True)
    listed = {line.partition("  ")[2] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert listed == set(contents(release)) - {"SHA256SUMS"}


def test_sha256sum_reads_the_pin(release: Path) -> None:
    pin = resources.pin_path("closebench", "1.0.0")
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", pin], cwd=release / "data", check=True)


def test_the_manifest_says_what_was_built(release: Path) -> None:
    manifest = read_manifest(release)
    assert manifest.family == "closebench"
    assert manifest.data_version == "1.0.0"
    assert manifest.pinned
    assert manifest.generator.package == "closebench"
    assert set(manifest.versions) == {"closebench", "pyarrow"}
    assert {file.path for file in manifest.files} == set(contents(release)) - {
        "SHA256SUMS",
        "manifest.json",
        "README.md",
    }
    for config in ("worlds", "truth"):
        for split in ("en", "ru"):
            rows = manifest.configs[config][split]
            file = next(file for file in manifest.files if file.path == f"data/{config}-{split}.jsonl")
            assert (rows.rows, rows.seeds, rows.bytes) == (100, "1-50,1001-1050", file.bytes)
            assert rows.rows_sha256 == file.sha256
    assert (release / "manifest.json").read_bytes() == manifest.to_json()


def test_git_keeps_every_byte_and_the_hub_its_large_files(release: Path, tmp_path: Path) -> None:
    lines = (release / ".gitattributes").read_text().splitlines()
    assert "* -text" in lines
    assert "*.parquet filter=lfs diff=lfs merge=lfs -text" in lines


def test_the_licence_is_closebenchs(release: Path) -> None:
    text = (release / "LICENSE").read_text()
    assert "https://github.com/poyraz-demir/closebench" in text
    assert "MIT License" in text
    assert "closebench contributors" in text


@pytest.mark.parametrize("config", ["worlds", "truth"])
@pytest.mark.parametrize("split", ["en", "ru"])
def test_parquet_gives_the_jsonl_back(release: Path, config: str, split: str) -> None:
    rows = read_parquet(release / config / f"{split}-00000-of-00001.parquet")
    lines = [canonical_line(row, "a row") for row in rows]
    assert b"".join(lines) == (release / "data" / f"{config}-{split}.jsonl").read_bytes()


def test_parquet_is_small_and_laid_out_for_readers(release: Path) -> None:
    assert (release / "worlds" / "en-00000-of-00001.parquet").stat().st_size < 85_000
    for config in ("worlds", "truth"):
        declared = resources.load_schema("closebench", config).arrow
        for path in sorted((release / config).iterdir()):
            with pq.ParquetFile(path) as file:
                assert file.schema_arrow.equals(declared)
                assert file.metadata.metadata == {b"canary": canary("closebench").encode()}
                assert file.metadata.num_rows == 100
                for group in range(file.metadata.num_row_groups):
                    assert file.metadata.row_group(group).total_byte_size < 100_000_000
                    column = file.metadata.row_group(group).column(0)
                    assert column.compression == "ZSTD"
                    assert column.has_offset_index


@pytest.mark.parametrize("rows_per_shard", [1, 3, 4, 1000])
def test_shards_change_parquet_only(
    hub: Callable[..., Outcome], small_release: Path, tmp_path: Path, rows_per_shard: int
) -> None:
    outcome = hub(
        "build", "closebench", "--out", tmp_path, "--seeds", FOUR_SEEDS, "--rows-per-shard", rows_per_shard,
        "--engine", "serial",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    built = contents(tmp_path / "closebench")
    for path, data in contents(small_release).items():
        if path.startswith("data/"):
            assert built[path] == data
    count = -(-4 // rows_per_shard)
    for config in ("worlds", "truth"):
        for split in ("en", "ru"):
            shards = [path for path in sorted(built) if path.startswith(f"{config}/{split}-")]
            assert shards == [f"{config}/{split}-{index:05d}-of-{count:05d}.parquet" for index in range(count)]
            lines = [
                canonical_line(row, "a row")
                for shard in shards
                for row in read_parquet(tmp_path / "closebench" / shard)
            ]
            assert b"".join(lines) == built[f"data/{config}-{split}.jsonl"]


def test_row_groups_close_at_their_size(
    monkeypatch: pytest.MonkeyPatch, hub: Callable[..., Outcome], tmp_path: Path
) -> None:
    monkeypatch.setattr("pipeline.build.shard.ROW_GROUP_BYTES", 50_000)
    assert (
        hub("build", "closebench", "--out", tmp_path, "--seeds", "1-5", "--split", "en", "--engine", "serial").code == 0
    )
    with pq.ParquetFile(tmp_path / "closebench" / "worlds" / "en-00000-of-00001.parquet") as file:
        assert [file.metadata.row_group(group).num_rows for group in range(3)] == [2, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (["--engine", "process", "--workers", "2"], {"PYTHONHASHSEED": "1"}),
        (["--engine", "process", "--workers", "3"], {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"}),
        (["--engine", "serial"], {"PYTHONHASHSEED": "3", "LC_ALL": "C", "PYTHONUTF8": "0"}),
    ],
)
def test_engine_workers_hash_seed_zone_and_locale_change_nothing(
    tmp_path: Path, arguments: list[str], env: dict[str, str], small_release: Path
) -> None:
    whole = hub_process("build", "closebench", "--out", tmp_path, "--seeds", FOUR_SEEDS, *arguments, env=env)
    assert whole.returncode == 0, whole.stderr
    assert contents(tmp_path / "closebench") == contents(small_release)
    cut = ["--seeds", FOUR_SEEDS, "--rows-per-shard", "1", "--formats", "jsonl"]
    parts = hub_process("build", "closebench", "--out", tmp_path / "cut", *cut, *arguments, env=env)
    assert parts.returncode == 0, parts.stderr
    for path, data in contents(tmp_path / "cut" / "closebench").items():
        if path.startswith("data/"):
            assert data == contents(small_release)[path]


def test_a_second_build_changes_no_byte(hub: Callable[..., Outcome], tmp_path: Path, release: Path) -> None:
    for _ in range(2):
        assert hub("build", "closebench", "--out", tmp_path).code == 0
        assert contents(tmp_path / "closebench") == contents(release)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".closebench.lock", "closebench"]


@pytest.mark.parametrize("formats", ["jsonl", "parquet"])
def test_one_format_alone(hub: Callable[..., Outcome], tmp_path: Path, release: Path, formats: str) -> None:
    outcome = hub("build", "closebench", "--out", tmp_path, "--formats", formats, "--json")
    assert outcome.code == 0, outcome.err
    (manifest,) = json.loads(outcome.out)
    assert manifest["pinned"]
    assert manifest["configs"] == json.loads((release / "manifest.json").read_text())["configs"]
    suffixes = {Path(path).suffix for path in contents(tmp_path / "closebench") if path.split("/")[0] != "schemas"}
    assert f".{formats}" in suffixes
    assert not {".jsonl", ".parquet"} - {f".{formats}"} & suffixes
    assert ("pyarrow" in manifest["versions"]) == (formats == "parquet")


def test_other_seeds_have_no_pin(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    seeds = ("--seeds", "9,1000000", "--split", "ru")
    outcome = hub("build", "closebench", "--out", tmp_path, *seeds, "--engine", "serial")
    assert outcome.code == 0
    assert "pin: none applies to these seeds" in outcome.out
    manifest = read_manifest(tmp_path / "closebench")
    assert not manifest.pinned
    assert manifest.configs["truth"]["ru"].rows == 2
    assert list(manifest.configs["truth"]) == ["ru"]


def test_one_split_of_the_published_seeds_is_pinned(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("build", "closebench", "--out", tmp_path, "--split", "en", "--formats", "jsonl")
    assert "pin: every row is that of" in outcome.out


def test_without_a_family_all_that_have_the_split_are_built(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("build", "--out", tmp_path, "--split", "en", "--seeds", "1", "--engine", "serial")
    assert outcome.code == 0, outcome.err
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["closebench"]
    nothing = hub("build", "--out", tmp_path, "--split", "de")
    assert (nothing.code, nothing.out) == (2, "")
    assert "no family has the split de" in nothing.err


def test_progress_and_messages_leave_stdout_to_the_result(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--split", "en", "--json")
    json.loads(outcome.out)
    assert outcome.err == ""
