"""The command verify: what passes, what is skipped, what bad input gets."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import FOUR_SEEDS, Outcome
from tampering import reseal, write_manifest

from pipeline import pins
from pipeline.build.manifest import MANIFEST
from pipeline.families import FAMILIES, get_family
from pipeline.families.base import Item
from pipeline.families.closebench import Closebench
from pipeline.verify import lines
from pipeline.verify.report import CHECKS


@pytest.fixture
def copy(small_release: Path, tmp_path: Path) -> Path:
    """A release folder of four seeds that a test may change."""
    return Path(shutil.copytree(small_release, tmp_path / "copy"))


def statuses(outcome: Outcome) -> dict[str, str]:
    """Return the status of each check from a JSON report."""
    (report,) = json.loads(outcome.out)
    return {result["check"]: result["status"] for result in report["results"]}


def test_the_published_release_passes_every_check(hub: Callable[..., Outcome], release: Path) -> None:
    outcome = hub("verify", f"{release}/")
    assert outcome.code == 0, outcome.out
    assert outcome.err == ""
    printed = outcome.out.splitlines()
    assert printed[0].startswith("closebench 1.0.0: ")
    assert [line.split()[:2] for line in printed[1:7]] == [[check, "passed"] for check in CHECKS]
    assert "400 rows" in printed[2]
    assert printed[7] == "  result: every check passed"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_verifies(hub: Callable[..., Outcome], tmp_path: Path, name: str) -> None:
    split = get_family(name).splits[0]
    assert hub("build", name, "--out", tmp_path, "--split", split, "--seeds", "7-9", "--engine", "serial").code == 0
    outcome = hub("verify", name, "--out", tmp_path, "--engine", "serial", "--json")
    assert outcome.code == 0, outcome.out
    assert set(statuses(outcome).values()) == {"passed"}


@pytest.mark.parametrize("formats", ["jsonl", "parquet"])
def test_one_format_alone(hub: Callable[..., Outcome], tmp_path: Path, formats: str) -> None:
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", FOUR_SEEDS, "--formats", formats).code == 0
    outcome = hub("verify", "closebench", "--out", tmp_path, "--json")
    assert outcome.code == 0, outcome.out
    missing = {"jsonl": {"parquet": "skipped", "load": "skipped"}, "parquet": {}}[formats]
    assert statuses(outcome) == dict.fromkeys(CHECKS, "passed") | missing


@pytest.mark.parametrize("rows_per_shard", [1, 3])
def test_shards_are_found_wherever_they_begin(hub: Callable[..., Outcome], tmp_path: Path, rows_per_shard: int) -> None:
    build = ("build", "closebench", "--out", tmp_path, "--seeds", FOUR_SEEDS, "--rows-per-shard", rows_per_shard)
    assert hub(*build).code == 0
    outcome = hub("verify", "closebench", "--out", tmp_path, "--skip", "load", "--json")
    assert outcome.code == 0, outcome.out
    jsonl = tmp_path / "closebench" / "data" / "truth-ru.jsonl"
    jsonl.write_bytes(jsonl.read_bytes().replace(b'"E17"', b'"E11"').replace(b'"E9"', b'"E1"'))
    assert hub("verify", "closebench", "--out", tmp_path, "--skip", "load").code == 1


def test_a_sample_says_how_to_repeat_it(hub: Callable[..., Outcome], small_release: Path) -> None:
    outcome = hub("verify", f"{small_release}/", "--n", "2", "--skip", "load")
    assert outcome.code == 0
    seed = re.search(r"sampled: 2 seeds of each split; --sample-seed (\d+) repeats it", outcome.out)
    assert seed
    assert "rebuild   passed  8 rows" in outcome.out
    again = hub("verify", f"{small_release}/", "--n", "2", "--sample-seed", seed[1], "--skip", "load")
    assert again.out == outcome.out


def test_a_sample_leaves_the_other_rows_to_the_hashes(hub: Callable[..., Outcome], copy: Path) -> None:
    path = copy / "data" / "worlds-en.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Ridge Ltd", b"Ridge GmbH"))
    outcome = hub("verify", f"{copy}/", "--n", "1", "--sample-seed", "1", "--skip", "load")
    assert outcome.code == 1
    assert "data/worlds-en.jsonl: has " in outcome.out


def test_a_difference_is_shown_as_seed_field_and_both_values(hub: Callable[..., Outcome], copy: Path) -> None:
    path = copy / "data" / "truth-en.jsonl"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    rows[2]["errors"][1]["fix"]["amount"] = "1.00"
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    reseal(copy)
    outcome = hub("verify", f"{copy}/", "--skip", "load")
    assert outcome.code == 1
    wanted = r"data/truth-en.jsonl: seed 1001: errors\[1\].fix.amount is \"1.00\"; the generator gives \"[0-9.]+\""
    assert re.search(wanted, outcome.out)


def test_a_planted_leak_is_a_finding(hub: Callable[..., Outcome], copy: Path) -> None:
    path = copy / "data" / "worlds-en.jsonl"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    rows[0]["documents"][0]["body"] += " duplicate_invoice"
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    outcome = hub("verify", f"{copy}/", "--json", "--skip", "load")
    assert statuses(outcome)["leaks"] == "failed"
    assert "the public row holds 'duplicate_invoice' of the answer key" in outcome.out


def test_a_changed_pin_is_a_finding(
    hub: Callable[..., Outcome], release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {**pins.read_pin(get_family("closebench")), "truth-ru.jsonl": "0" * 64}
    monkeypatch.setattr("pipeline.verify.files.read_pin", lambda family: changed)
    outcome = hub("verify", f"{release}/", "--n", "1", "--skip", "load", "--skip", "grading")
    assert outcome.code == 1
    assert "data/truth-ru.jsonl: has SHA-256 c340bcd9" in outcome.out
    assert f"the pin is {'0' * 64}" in outcome.out


def test_grades_that_break_the_promise_are_findings(
    hub: Callable[..., Outcome], small_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Closebench, "oracle", lambda self, item, grader: "[]")
    outcome = hub("verify", f"{small_release}/", "--engine", "serial", "--json", "--skip", "load")
    assert outcome.code == 1
    assert statuses(outcome)["grading"] == "failed"
    assert "the oracle scores 0.0 under strict grading" in outcome.out
    assert "and 3 more like these" in outcome.out


def test_languages_that_disagree_in_a_number_are_a_finding(
    hub: Callable[..., Outcome], small_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def view(self: Closebench, item: Item) -> object:
        return item.public["lang"] if item.public["seed"] == 31 else None

    monkeypatch.setattr(Closebench, "parallel_view", view)
    outcome = hub("verify", f"{small_release}/", "--engine", "serial", "--json", "--skip", "load")
    assert statuses(outcome)["grading"] == "failed"
    assert "the numbers differ from those of en" in outcome.out


def test_another_pyarrow_explains_other_bytes(
    hub: Callable[..., Outcome], copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read by a version that would write other bytes, a good folder passes, and the report says why they differ."""
    monkeypatch.setattr("pipeline.verify.parquet.version", lambda name: "99.0.0")
    monkeypatch.setattr("pipeline.verify.parquet.PARQUET_OPTIONS", {"compression": "zstd", "compression_level": 1})
    outcome = hub("verify", f"{copy}/", "--engine", "serial", "--skip", "load")
    assert outcome.code == 0, outcome.out
    assert re.search(r"written by pyarrow \S+ and read by 99.0.0: bytes differ between them, every row", outcome.out)


def test_damaged_rows_do_not_stop_the_other_checks(hub: Callable[..., Outcome], copy: Path) -> None:
    (copy / "data" / "worlds-en.jsonl").write_bytes(b"\xff\xfe no JSON at all")
    outcome = hub("verify", f"{copy}/", "--json", "--engine", "serial")
    assert outcome.code == 1
    assert "Traceback" not in outcome.err
    assert statuses(outcome) == {
        "files": "failed",
        "rebuild": "failed",
        "parquet": "passed",  # it is compared with the generator's rows, not with damaged lines
        "grading": "passed",
        "leaks": "passed",
        "load": "failed",
    }


def test_empty_files_and_huge_lines_are_findings(
    hub: Callable[..., Outcome], copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 100_000)
    (copy / "data" / "worlds-en.jsonl").write_bytes(b"x" * 300_000)
    for path in ("data/truth-en.jsonl", "worlds/ru-00000-of-00001.parquet", "SHA256SUMS", "LICENSE"):
        (copy / path).write_bytes(b"")
    outcome = hub("verify", f"{copy}/", "--engine", "serial")
    assert outcome.code == 1
    assert outcome.err == ""
    assert "data/worlds-en.jsonl: a line is longer than 100000 bytes" in outcome.out
    for path in ("data/truth-en.jsonl", "worlds/ru-00000-of-00001.parquet", "SHA256SUMS", "LICENSE"):
        assert f"    {path}: " in outcome.out


def test_a_pipe_in_the_folder_does_not_hang(hub: Callable[..., Outcome], copy: Path) -> None:
    (copy / "LICENSE").unlink()
    os.mkfifo(copy / "LICENSE")
    outcome = hub("verify", f"{copy}/", "--n", "1", "--skip", "load")
    assert outcome.code == 1
    assert "LICENSE: is not a regular file" in outcome.out


@pytest.mark.parametrize("seeds", ["0-9223372036854775807", "1,3-", "0-999999999999"])
def test_a_manifest_that_promises_the_moon_is_a_finding(hub: Callable[..., Outcome], copy: Path, seeds: str) -> None:
    manifest = json.loads((copy / MANIFEST).read_bytes())
    for splits in manifest["configs"].values():
        for rows in splits.values():
            rows.update(seeds=seeds, rows=2**63 if "807" in seeds else 10**12)
    write_manifest(copy, manifest)
    outcome = hub("verify", f"{copy}/", "--json")
    assert outcome.code == 1
    assert statuses(outcome)["rebuild"] == "skipped"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nowhere/at/all"], 3, "there is no folder nowhere/at/all"),
        (["closebanch"], 2, "no family 'closebanch'"),
        (["--sample-seed", "1"], 2, "--sample-seed goes with --n"),
        (["--n", "0"], 2, "0"),
        (["--skip", "files"], 2, "files"),
        (["--workers", "2", "--engine", "serial"], 2, "--workers goes with"),
    ],
)
def test_wrong_usage(hub: Callable[..., Outcome], arguments: list[str], code: int, says: str) -> None:
    outcome = hub("verify", *arguments)
    assert outcome.code == code
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_release_that_is_not_built_yet(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("verify", "closebench", "--out", tmp_path)
    assert outcome.code == 3
    assert "run: closebench-hub build closebench" in outcome.err


def test_a_folder_without_a_release(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = hub("verify", f"{tmp_path}/")
    assert outcome.code == 3
    assert "is no release folder" in outcome.err
    (tmp_path / "SHA256SUMS").write_text("")  # one of ours that lost its manifest is damaged, not absent
    outcome = hub("verify", f"{tmp_path}/")
    assert outcome.code == 1
    assert "manifest.json: cannot be read" in outcome.out
    assert "not checked: rebuild, parquet, grading, leaks, load" in outcome.out


def test_missing_jsonl_is_not_made_good_by_parquet(hub: Callable[..., Outcome], copy: Path) -> None:
    shutil.rmtree(copy / "data")
    outcome = hub("verify", f"{copy}/", "--json", "--skip", "load")
    assert outcome.code == 1
    found = statuses(outcome)
    assert found["rebuild"] == "failed"
    assert found["grading"] == found["leaks"] == "skipped"
    assert "4 rows are missing, from seed 1 on" in outcome.out


def test_an_intact_parquet_file_is_not_blamed_for_missing_jsonl(hub: Callable[..., Outcome], copy: Path) -> None:
    (copy / "data" / "worlds-en.jsonl").unlink()
    assert statuses(hub("verify", f"{copy}/", "--json", "--skip", "load"))["parquet"] == "passed"


def test_no_more_rows_are_made_than_the_folder_has(
    hub: Callable[..., Outcome], copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = json.loads((copy / MANIFEST).read_bytes())
    manifest["rows_per_shard"] = 10**7
    for splits in manifest["configs"].values():
        for rows in splits.values():
            rows.update(seeds=f"1-{10**7}", rows=10**7)
    write_manifest(copy, manifest)
    made = []
    generate = Closebench.generate
    monkeypatch.setattr(Closebench, "generate", lambda *args: made.append(args) or generate(*args))
    outcome = hub("verify", f"{copy}/", "--engine", "serial", "--skip", "load")
    assert outcome.code == 1
    assert len(made) == 8
    assert "9,999,996 rows are missing, from seed 5 on" in outcome.out


@pytest.mark.parametrize("word", ["\ud800", "1.0.0\n  result: every check passed", "1.0.0\x1b[2J", "", "1"])
def test_a_hostile_data_version_forges_nothing(hub: Callable[..., Outcome], copy: Path, word: str) -> None:
    manifest = json.loads((copy / MANIFEST).read_bytes())
    manifest["data_version"] = word
    (copy / MANIFEST).write_text(json.dumps(manifest))
    outcome = hub("verify", f"{copy}/", "--skip", "load")
    assert (outcome.code, outcome.err) == (1, "")
    assert "result: every check passed" not in outcome.out.splitlines()
    assert "\x1b" not in outcome.out
    assert "manifest.json" in outcome.out


def test_a_hostile_file_name_forges_nothing(hub: Callable[..., Outcome], copy: Path) -> None:
    (copy / "a\n  result: every check passed").write_text("")
    (copy / os.fsdecode(b"b\xff")).write_text("")
    for arguments in ([], ["--json"]):
        outcome = hub("verify", f"{copy}/", "--n", "1", "--skip", "load", *arguments)
        assert (outcome.code, outcome.err) == (1, "")
        assert "  result: every check passed" not in outcome.out.splitlines()


def test_the_manifest_is_blamed_for_what_it_says_twice(hub: Callable[..., Outcome], copy: Path) -> None:
    manifest = json.loads((copy / MANIFEST).read_bytes())
    manifest["configs"]["worlds"]["en"]["rows_sha256"] = "0" * 64
    write_manifest(copy, manifest)
    outcome = hub("verify", f"{copy}/", "--n", "1", "--skip", "load")
    assert "    manifest.json: worlds/en has SHA-256 " in outcome.out
    assert "    data/worlds-en.jsonl: " not in outcome.out


@pytest.mark.parametrize("every", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("text", [b"", b"a\n", b"a\nbb\nccc\n", b"a\nbb\nccc", b"\n\n\n\n", b"x" * 5000 + b"\ny\nz\n"])
def test_line_offsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int, text: bytes) -> None:
    monkeypatch.setattr(lines, "_CHUNK", 4)
    (tmp_path / "file").write_bytes(text)

    def starts() -> Iterator[int]:
        position = 0
        for number, line in enumerate(text.splitlines(keepends=True)):
            if number % every == 0:
                yield position
            position += len(line)

    assert lines.line_offsets(tmp_path / "file", every) == (list(starts()), len(text.splitlines()))
