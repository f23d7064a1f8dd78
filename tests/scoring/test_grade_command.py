"""``closebench-hub grade``: figures, results, repeats, infrastructure errors, and everything that can be wrong."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Outcome, contents

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.families import get_family
from pipeline.families.base import Item
from pipeline.scoring import problems

Hub = Callable[..., Outcome]

FAMILY = get_family("accounting_assistant")
ITEMS = [(split, FAMILY.generate(split, seed)) for split, seeds in FAMILY.default_seeds.items() for seed in seeds]
ORACLE = [{"id": item.public["id"], "answer": FAMILY.oracle(item, "exact")} for _, item in ITEMS]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published cases; treat it as read-only."""
    return build_release(BuildRequest(FAMILY.name, tmp_path_factory.mktemp("cases"), engine="serial"))[0]


@pytest.fixture
def answers(tmp_path: Path) -> Callable[[Iterable[Any]], Path]:
    """Write a file of answers; a text or bytes are a line as they stand."""

    def write(lines: Iterable[Any]) -> Path:
        path = tmp_path / "answers.jsonl"
        encoded = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        path.write_bytes(b"".join(line + b"\n" for line in encoded))
        return path

    return write


Write = Callable[[Iterable[Any]], Path]


def rows(path: Path) -> list[dict[str, Any]]:
    """Read results."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_oracle_answers_are_right(hub: Hub, cases: Path, answers: Write) -> None:
    outcome = hub("grade", cases, "--answers", answers(ORACLE))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        "accounting_assistant 1.0.1; headline score: exact\n"
        "\n"
        "split train: 24 rows, 24 answered, 0 missing\n"
        "score    over      passed  pass rate  95 % interval    mean   95 % interval\n"
        "exact    all rows  24/24   100.0%     86.2% to 100.0%  1.000  1.000 to 1.000\n"
        "lenient  all rows  24/24   100.0%     86.2% to 100.0%  1.000  1.000 to 1.000\n"
        "\n"
        "split eval: 8 rows, 8 answered, 0 missing\n"
        "score    over      passed  pass rate  95 % interval    mean   95 % interval\n"
        "exact    all rows  8/8     100.0%     67.6% to 100.0%  1.000  1.000 to 1.000\n"
        "lenient  all rows  8/8     100.0%     67.6% to 100.0%  1.000  1.000 to 1.000\n"
        "\n"
        "all splits: 32 rows, 32 answered, 0 missing\n"
        "score    over      passed  pass rate  95 % interval    mean   95 % interval\n"
        "exact    all rows  32/32   100.0%     89.3% to 100.0%  1.000  1.000 to 1.000\n"
        "lenient  all rows  32/32   100.0%     89.3% to 100.0%  1.000  1.000 to 1.000\n"
    )


def test_results_stand_in_the_order_of_the_rows(hub: Hub, cases: Path, answers: Write, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    assert hub("grade", cases, "--answers", answers(reversed(ORACLE)), "--out", out).code == 0
    results = rows(out)
    assert [row["id"] for row in results] == [line["id"] for line in ORACLE]
    assert [row["line"] for row in results] == list(range(32, 0, -1))
    first = results[0]
    assert list(first) == ["id", "split", "seed", "line", "status", "score", "passed", "error", "parts", "lenient"]
    assert (first["split"], first["status"], first["score"], first["passed"]) == ("train", "graded", 1.0, True)
    assert first["error"] is None
    assert first["parts"]["adjusted_book_balance"] == 1.0
    assert set(first["lenient"]) == {"score", "passed", "error", "parts"}


def test_the_order_of_the_answers_changes_no_figure(hub: Hub, cases: Path, answers: Write) -> None:
    mixed = [line if number % 3 else {**line, "answer": "{}"} for number, line in enumerate(ORACLE)]
    one = hub("grade", cases, "--answers", answers(mixed), "--json").out
    assert hub("grade", cases, "--answers", answers(reversed(mixed)), "--json").out == one


def test_seed_and_split_name_a_row_as_well(hub: Hub, cases: Path, answers: Write) -> None:
    lines = [
        {"seed": item.public["seed"], "split": split, "answer": line["answer"]}
        for (split, item), line in zip(ITEMS, ORACLE, strict=True)
    ]
    assert "exact    all rows  32/32" in hub("grade", cases, "--answers", answers(lines)).out


def test_missing_rows_score_zero_beside_the_answered_ones(
    hub: Hub, cases: Path, answers: Write, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    path = answers(ORACLE[:6])
    outcome = hub("grade", cases, "--answers", path, "--out", out)
    assert (outcome.code, outcome.err) == (0, "")
    assert "split train: 24 rows, 6 answered, 18 missing" in outcome.out
    assert "exact    all rows  6/24    25.0%" in outcome.out
    assert "exact    answered  6/6     100.0%" in outcome.out
    assert "exact    answered  0/0     -          -              -      -" in outcome.out
    missing = rows(out)[6]
    assert (missing["status"], missing["score"], missing["passed"], missing["line"]) == ("missing", 0.0, False, None)
    assert missing["lenient"]["score"] == 0.0
    train = json.loads(hub("grade", cases, "--answers", path, "--json").out)["splits"]["train"]
    assert (train["rows"], train["answered"], train["missing"], train["excluded"]) == (24, 6, 18, 0)
    assert train["scores"]["exact"]["all_rows"]["mean"] == 0.25
    assert train["scores"]["exact"]["answered_rows"]["mean"] == 1.0


def test_an_infrastructure_error_excludes_its_row(hub: Hub, cases: Path, answers: Write, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    lines = [{"id": ORACLE[0]["id"], "infra_error": "timeout"}, *ORACLE[1:]]
    outcome = hub("grade", cases, "--answers", answers(lines), "--out", out)
    assert outcome.code == 1
    assert outcome.err == "error: 1 infra_error: run those rows again\n"
    assert "split train: 24 rows, 23 answered, 0 missing, 1 excluded (infra_error)" in outcome.out
    assert "exact    all rows  23/23" in outcome.out
    assert rows(out)[0] == {
        "id": ORACLE[0]["id"],
        "split": "train",
        "seed": 1001,
        "line": 1,
        "status": "infra_error",
        "score": None,
        "passed": None,
        "error": "timeout",
    }


def test_repeats_give_pass_hat(hub: Hub, cases: Path, answers: Write) -> None:
    wrong = [{**line, "answer": "{}"} for line in ORACLE]
    # The first row passes 2 of 4 times, the others 2 of 3 times.
    lines = [*ORACLE, *wrong, *ORACLE, wrong[0]]
    outcome = hub("grade", cases, "--answers", answers(lines), "--allow-repeats")
    assert outcome.code == 0
    assert "split train: 24 rows, 24 answered (73 answers), 0 missing" in outcome.out
    assert "pass^k over all rows; n is 3 to 4 answers to each, k up to 3" in outcome.out
    assert "pass^k over all rows; n is 3 answers to each" in outcome.out
    train = json.loads(hub("grade", cases, "--answers", answers(lines), "--allow-repeats", "--json").out)
    figures = train["splits"]["train"]["scores"]["exact"]["all_rows"]
    expected = [(1 / 2 + 23 * 2 / 3) / 24, (1 / 6 + 23 * 1 / 3) / 24, 0]
    assert figures["pass_hat"] == pytest.approx(expected, abs=1e-6)
    assert figures["pass_rate"] == pytest.approx(expected[0], abs=1e-6)
    assert (figures["passed"], figures["tries"], figures["rows"]) == (48, 73, 24)


def test_an_infrastructure_error_among_repeats_is_no_try(hub: Hub, cases: Path, answers: Write) -> None:
    lines = [*ORACLE, {"id": ORACLE[0]["id"], "infra_error": "timeout"}]
    outcome = hub("grade", cases, "--answers", answers(lines), "--allow-repeats", "--json")
    assert outcome.code == 1
    summary = json.loads(outcome.out)
    assert summary["infra_errors"] == 1
    assert summary["splits"]["train"]["excluded"] == 0
    assert summary["splits"]["train"]["scores"]["exact"]["all_rows"]["passed"] == 24


# Lines that cannot be graded


def test_every_bad_line_is_listed_with_its_number(hub: Hub, cases: Path, answers: Write, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    first = ORACLE[0]["id"]
    lines = [
        ORACLE[0],
        b"",
        b"garbage",
        {"id": "nobody", "answer": "x"},
        {"seed": 1001, "split": "elsewhere", "answer": "x"},
        {"seed": 5, "split": "train", "answer": "x"},
        {"seed": 10**30, "split": "train", "answer": "x"},
        {"id": ORACLE[1]["id"], "split": "eval", "answer": "x"},
        {"id": first, "answer": "x"},
        {"seed": 1001, "split": "train", "infra_error": "x"},
        {"id": "\ud800", "answer": "x"},
    ]
    outcome = hub("grade", cases, "--answers", answers(lines), "--out", out)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [
        "line 3: unreadable: it is no JSON: Expecting value: line 1 column 1 (char 0)",
        "line 4: unknown row: 'nobody' is not in the folder",
        "line 5: unknown row: seed 1001 of split 'elsewhere' is not in the folder",
        "line 6: unknown row: seed 5 of split 'train' is not in the folder",
        f"line 7: unknown row: seed {10**30} of split 'train' is not in the folder",
        "line 8: unknown row: 'acct-1002' is of split train, not of 'eval'",
        "line 9: duplicate: 'acct-1001' is answered on line 1 already",
        "line 10: duplicate: seed 1001 of split 'train' is answered on line 1 already",
        "line 11: unknown row: '\\ud800' is not in the folder",
        "error: 9 lines not graded; correct or remove them",
    ]
    assert len(rows(out)) == 32
    assert (rows(out)[0]["score"], rows(out)[0]["line"]) == (1.0, 1)
    listed = json.loads(hub("grade", cases, "--answers", answers(lines), "--json").out)["problems"]
    assert listed["count"] == 9
    assert listed["by_kind"] == {"duplicate": 2, "unknown row": 6, "unreadable": 1}
    assert listed["listed"][0]["line"] == 3


def test_the_terminal_lists_twenty(hub: Hub, cases: Path, answers: Write) -> None:
    outcome = hub("grade", cases, "--answers", answers([b"x"] * 50))
    assert outcome.code == 1
    assert len(outcome.err.splitlines()) == 22
    assert outcome.err.splitlines()[20:] == [
        "and 30 further lines; --json lists them",
        "error: 50 lines not graded; correct or remove them",
    ]


def test_problems_beyond_a_bound_are_counted(
    hub: Hub, cases: Path, answers: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems, "MOST_LISTED", 7)
    listed = json.loads(hub("grade", cases, "--answers", answers([b"x"] * 50), "--json").out)["problems"]
    assert (listed["count"], len(listed["listed"])) == (50, 7)


def test_a_line_over_the_limit_is_skipped_and_listed(hub: Hub, cases: Path, answers: Write) -> None:
    long = {**ORACLE[0], "answer": "x" * (8 * 2**20)}
    outcome = hub("grade", cases, "--answers", answers([long, ORACLE[1], long]))
    assert outcome.code == 1
    assert "line 1: unreadable: it is longer than 8388608 bytes" in outcome.err
    assert "line 3: unreadable" in outcome.err
    assert "exact    all rows  1/24" in outcome.out


def test_a_last_line_without_a_line_feed_counts(hub: Hub, cases: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(ORACLE[0]))
    assert "exact    all rows  1/24" in hub("grade", cases, "--answers", path).out


# Files and folders


def test_answers_from_standard_input(hub: Hub, cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(json.dumps(line) + "\n" for line in ORACLE).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert "exact    all rows  32/32" in hub("grade", cases, "--answers", "-").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    outcome = hub("grade", cases, "--answers", "-")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("error: standard input is empty")


@pytest.mark.parametrize(
    ("prepare", "code", "says"),
    [
        (lambda path: None, 3, "there is no file"),
        (Path.mkdir, 3, "is a folder"),
        (Path.touch, 1, "is empty"),
        (lambda path: path.write_text("\n \n"), 1, "blank lines only"),
        (lambda path: path.symlink_to(path), 3, "answers.jsonl"),
    ],
)
def test_answers_that_are_no_file(
    hub: Hub, cases: Path, tmp_path: Path, prepare: Callable[[Path], object], code: int, says: str
) -> None:
    path = tmp_path / "answers.jsonl"
    prepare(path)
    out = tmp_path / "results.jsonl"
    outcome = hub("grade", cases, "--answers", path, "--out", out)
    assert (outcome.code, outcome.out) == (code, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("name", ["accounting", "folder/that/is/not", "."])
def test_a_folder_that_is_none(hub: Hub, answers: Write, name: str) -> None:
    outcome = hub("grade", name, "--answers", answers(ORACLE))
    assert (outcome.code, outcome.out) == (3 if "/" in name else 2, "")
    assert outcome.err.count("\n") == 1


def test_a_folder_without_a_manifest(hub: Hub, answers: Write, tmp_path: Path) -> None:
    outcome = hub("grade", f"{tmp_path}/", "--answers", answers(ORACLE))
    assert (outcome.code, outcome.out) == (3, "")
    assert "is no release folder" in outcome.err


@pytest.mark.parametrize("lines", [[], [b""], None])
def test_a_folder_that_is_no_release_is_said_before_the_answers(
    hub: Hub, answers: Write, tmp_path: Path, lines: list[Any] | None
) -> None:
    path = tmp_path / "absent.jsonl" if lines is None else answers(lines)
    outcome = hub("grade", f"{tmp_path}/", "--answers", path, "--out", tmp_path)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"error: {tmp_path} is no release folder")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("place", ["data/truth-train.jsonl", "results.jsonl", "data/../new/results.jsonl"])
def test_results_never_go_into_the_release_folder(
    hub: Hub, cases: Path, answers: Write, tmp_path: Path, place: str
) -> None:
    folder = Path(shutil.copytree(cases, tmp_path / "release"))
    (tmp_path / "link").symlink_to(folder)
    before = contents(folder)
    for name in (folder, tmp_path / "link"):
        outcome = hub("grade", f"{folder}/", "--answers", answers(ORACLE), "--out", name / place)
        assert (outcome.code, outcome.out) == (2, "")
        assert "lies in the release folder" in outcome.err
        assert outcome.err.count("\n") == 1
    assert contents(folder) == before


def damage(path: Path, old: bytes, new: bytes) -> None:
    """Replace the first occurrence of some bytes."""
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "data/truth-train.jsonl").write_bytes(b""),
        lambda folder: (folder / "data/truth-train.jsonl").write_bytes(b"\x00\xff"),
        lambda folder: damage(folder / "data/truth-train.jsonl", b"reconciled", b"Reconciled"),
        lambda folder: damage(folder / "data/truth-train.jsonl", b'"id"', b'"ID"'),
        lambda folder: damage(folder / "data/truth-train.jsonl", b"acct-1001", b"acct-1002"),
        lambda folder: damage(folder / "data/cases-train.jsonl", b"\n", b"\n\n"),
        lambda folder: damage(folder / "data/cases-train.jsonl", b'"seed":1001', b'"seed":"x"'),
        lambda folder: damage(folder / "data/cases-train.jsonl", b'"seed":1001', b'"seed":99999999999999999999'),
        lambda folder: damage(folder / "data/cases-train.jsonl", b'"seed":1002', b'"seed":7'),
        lambda folder: damage(folder / "data/cases-train.jsonl", b'"seed":1002,', b""),
        lambda folder: damage(folder / "data/cases-eval.jsonl", b"{", b"[{}, "),
        lambda folder: (folder / "manifest.json").write_bytes(b"{"),
        lambda folder: (folder / "manifest.json").write_bytes(b"[]"),
        lambda folder: damage(folder / "manifest.json", b'"accounting_assistant"', b'"someone_else"'),
        lambda folder: damage(folder / "manifest.json", b'"eval"', b'"evil"'),
        lambda folder: damage(folder / "manifest.json", b'"truth"', b'"proof"'),
    ],
)
def test_a_damaged_folder_gives_one_line(
    hub: Hub, cases: Path, answers: Write, tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    folder, out = tmp_path / "damaged", tmp_path / "results.jsonl"
    shutil.copytree(cases, folder)
    harm(folder)
    outcome = hub("grade", folder, "--answers", answers(ORACLE), "--out", out)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("error: ")
    assert not out.exists()


def test_a_folder_with_parquet_only_gives_the_same(hub: Hub, cases: Path, answers: Write, tmp_path: Path) -> None:
    folder = tmp_path / "parquet"
    shutil.copytree(cases, folder)
    shutil.rmtree(folder / "data")
    path = answers(ORACLE[:9])
    assert hub("grade", folder, "--answers", path).out == hub("grade", cases, "--answers", path).out


def test_grading_changes_nothing_in_the_folder(hub: Hub, cases: Path, answers: Write) -> None:
    before = contents(cases)
    hub("grade", cases, "--answers", answers(ORACLE))
    assert contents(cases) == before


# The file of results


def test_results_are_never_half_written(
    hub: Hub, cases: Path, answers: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results.jsonl"
    out.write_text("before\n")
    graded = []
    real = type(FAMILY).grade

    def fail_late(self: Any, item: Item, answer: str) -> Any:
        graded.append(answer)
        if len(graded) == 20:
            raise OSError(28, "No space left on device")
        return real(self, item, answer)

    path = answers(ORACLE)
    monkeypatch.setattr(type(FAMILY), "grade", fail_late)
    outcome = hub("grade", cases, "--answers", path, "--out", out)
    assert outcome.code == 3
    assert out.read_text() == "before\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["answers.jsonl", "results.jsonl"]
    monkeypatch.undo()
    assert hub("grade", cases, "--answers", path, "--out", out).code == 0
    assert len(rows(out)) == 32


def test_results_do_not_replace_what_is_no_result(hub: Hub, cases: Path, answers: Write, tmp_path: Path) -> None:
    path = answers(ORACLE)
    before = path.read_bytes()
    assert hub("grade", cases, "--answers", path, "--out", path).code == 2
    assert path.read_bytes() == before
    assert hub("grade", cases, "--answers", path, "--out", tmp_path).code == 2
    assert hub("grade", cases, "--answers", path, "--out", "/dev/null").code == 2
    assert hub("grade", cases, "--answers", path, "--out", tmp_path / "nowhere" / "results.jsonl").code == 3


def test_parallel_splits_are_never_pooled(hub: Hub, small_release: Path, answers: Write) -> None:
    family = get_family("closebench")
    item = family.generate("en", 1)
    path = answers([{"id": "en-1", "answer": family.oracle(item, "strict")}])
    outcome = hub("grade", small_release, "--answers", path)
    assert outcome.code == 0
    assert "all splits" not in outcome.out
    assert "published  all rows  1/4     25.0%" in outcome.out
    assert json.loads(hub("grade", small_release, "--answers", path, "--json").out)["together"] is None


def test_answers_to_other_seeds_are_listed(hub: Hub, small_release: Path, answers: Write) -> None:
    lines = [{"id": "en-1", "answer": "[]"}, {"id": "en-2", "answer": "[]"}, {"seed": 2, "split": "ru", "answer": ""}]
    outcome = hub("grade", small_release, "--answers", answers(lines))
    assert outcome.code == 1
    assert outcome.err.splitlines()[:2] == [
        "line 2: unknown row: 'en-2' is not in the folder",
        "line 3: unknown row: seed 2 of split 'ru' is not in the folder",
    ]


def test_wrong_usage(hub: Hub, cases: Path) -> None:
    assert hub("grade", cases).code == 2
    assert hub("grade").code == 2


def test_the_example_of_the_documentation_runs_as_shown(hub: Hub, cases: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
    commands, shown = re.findall(r"```(?:console|text)\n(.*?)```", text[text.index("## Example") :], re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = re.sub(r"^\$ ", "", commands, flags=re.MULTILINE)
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    outcome = hub("grade", cases, "--answers", tmp_path / "answers.jsonl")
    assert shown.partition("$ echo $?\n")[0].partition("\n")[2] == outcome.out + outcome.err
    assert shown.partition("$ echo $?\n")[2].startswith(f"{outcome.code}\n")
    figures = hub("baselines", FAMILY.name).out.rstrip("\n").splitlines()
    assert shown.partition("| tail -13\n")[2].splitlines() == figures[-12:]
