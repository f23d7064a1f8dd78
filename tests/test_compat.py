"""The compatibility proof without its venvs: it passes on a release, finds every kind of damage, and notices drift."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from click.testing import Result as Invoked
from conftest import ROOT

import compat.__main__ as command
from compat import table, venvs
from compat.check import Result, check, check_part, check_snippet
from compat.compare import compare_rows, shape_of
from compat.matrix import READERS, Reader, get_reader
from compat.readers import hf_datasets, pandas_frame
from compat.release import Part, find_parts

HERE = get_reader("datasets-current")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def folder(small_release: Path, tmp_path: Path) -> Path:
    """A release of four seeds to spoil."""
    return shutil.copytree(small_release, tmp_path / "closebench")


def worlds(folder: Path) -> Part:
    return Part(folder, "closebench", "worlds", "en")


def read_arrow(part: Part, mode: str) -> Any:
    """The simplest reader there is."""
    for path in part.parquet:
        yield from pq.ParquetFile(path).read().to_pylist()


def difference(folder: Path) -> str:
    """Return what the comparison finds in the English worlds."""
    return check_part(worlds(folder), "plain", read_arrow).difference or "equal"


def test_the_parts_are_those_of_the_manifest(small_release: Path) -> None:
    found = {(part.config, part.split): len(part.parquet) for part in find_parts(small_release)}
    assert found == {(config, split): 1 for config in ("worlds", "truth") for split in ("en", "ru")}


@pytest.mark.parametrize("mode", HERE.modes)
def test_datasets_of_this_environment_gives_every_value(mode: str, small_release: Path) -> None:
    results = [check_part(part, mode, hf_datasets.read) for part in find_parts(small_release)]
    assert [(result.rows, result.difference) for result in results] == [(4, None)] * 4


@pytest.mark.parametrize("mode", get_reader("pandas").modes)
def test_pandas_of_this_environment_gives_every_value(mode: str, small_release: Path) -> None:
    results = [check_part(part, mode, pandas_frame.read) for part in find_parts(small_release)]
    assert [(result.rows, result.difference) for result in results] == [(4, None)] * 4


def rewrite(folder: Path, change: Callable[[list[dict[str, Any]]], object], types: pa.Schema | None = None) -> None:
    """Change the rows of the Parquet file of the English worlds."""
    (path,) = worlds(folder).parquet
    found = pq.ParquetFile(path).read()
    rows = found.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=types or found.schema), path)


CHANGED_ROWS: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str]] = {
    "text": (lambda rows: rows[2]["documents"][0].update(title="x"), "row 2: documents[0].title: str "),
    "date": (
        lambda rows: rows[0]["period"].update(end="2026-12-01"),
        "row 0: period.end: str '2026-11-30' in the JSONL",
    ),
    "amount": (
        lambda rows: rows[3]["entries"][9]["lines"][1].update(credit="1.00"),
        "row 3: entries[9].lines[1].credit",
    ),
    "seed": (lambda rows: rows[1].update(seed=32), "row 1: seed: int 31 in the JSONL, int 32 read"),
    "absent key filled": (
        lambda rows: rows[0]["documents"][0]["meta"].update(customer=""),
        "row 0: documents[0].meta.customer: absent in the JSONL, str '' read",
    ),
    "present key dropped": (
        lambda rows: rows[0]["documents"][0]["meta"].update(vendor=None),
        "row 0: documents[0].meta.vendor: str ",
    ),
    "struct dropped": (lambda rows: rows[0].update(period=None), "row 0: period: dict "),
    "list emptied": (lambda rows: rows[0].update(accounts=[]), "row 0: accounts: list "),
    "list dropped": (lambda rows: rows[0].update(accounts=None), "NoneType None read"),
    "item dropped": (lambda rows: rows[0]["entries"].pop(), "row 0: entries: list "),
    "items swapped": (lambda rows: rows[0]["entries"].reverse(), "row 0: entries[0].eid: str 'JE00001'"),
    "row dropped": (lambda rows: rows.pop(), "row 3: missing"),
    "row doubled": (lambda rows: rows.append(rows[3]), "row 4: one too many"),
    "rows swapped": (lambda rows: rows.reverse(), "row 0: seed: int 1 in the JSONL, int 1018 read"),
    "no rows": (lambda rows: rows.clear(), "row 0: missing"),
}


@pytest.mark.parametrize("kind", CHANGED_ROWS)
def test_changed_rows_are_found(kind: str, folder: Path) -> None:
    change, named = CHANGED_ROWS[kind]
    assert difference(folder) == "equal"
    rewrite(folder, change)
    assert named in difference(folder)


def retyped(name: str, kind: pa.DataType) -> Callable[[pa.Schema], pa.Schema]:
    return lambda schema: schema.set(schema.get_field_index(name), pa.field(name, kind))


@pytest.mark.parametrize(
    ("kind", "convert", "named"),
    [
        (pa.float64(), float, "seed: int 1 in the JSONL, float 1.0 read"),
        (pa.string(), str, "seed: int 1 in the JSONL, str '1' read"),
        (pa.bool_(), bool, "seed: int 1 in the JSONL, bool True read"),
    ],
    ids=str,
)
def test_an_equal_value_of_another_type_is_found(kind: Any, convert: Any, named: str, folder: Path) -> None:
    schema = retyped("seed", kind)(pq.read_schema(worlds(folder).parquet[0]))
    rewrite(folder, lambda rows: [row.update(seed=convert(row["seed"])) for row in rows], schema)
    assert named in difference(folder)


def test_a_date_that_is_none_is_found(folder: Path) -> None:
    (path,) = worlds(folder).parquet
    found = pq.ParquetFile(path).read()
    period = found.column("period").combine_chunks()
    dates = pa.StructArray.from_arrays([part.cast(pa.date32()) for part in period.flatten()], ["start", "end"])
    pq.write_table(found.set_column(found.schema.get_field_index("period"), "period", dates), path)
    assert "period.start: str '2026-11-01' in the JSONL, date datetime.date(2026, 11, 1) read" in difference(folder)


@pytest.mark.parametrize("columns", ["one less", "one more", "other order"])
def test_other_columns_are_found(columns: str, folder: Path) -> None:
    (path,) = worlds(folder).parquet
    found = pq.ParquetFile(path).read()
    changed = {
        "one less": found.drop_columns(["mode"]),
        "one more": found.append_column("note", pa.nulls(found.num_rows, pa.string())),
        "other order": found.select([*found.column_names[1:], "seed"]),
    }[columns]
    pq.write_table(changed, path)
    assert difference(folder).startswith("row 0: the row: dict ")


@pytest.mark.parametrize("damage", ["truncated", "empty", "missing"])
def test_an_error_of_the_reader_is_a_difference(damage: str, folder: Path) -> None:
    path = Path(worlds(folder).parquet[0])
    path.write_bytes(path.read_bytes()[:-9] if damage == "truncated" else b"")
    if damage == "missing":
        path.unlink()
    assert difference(folder) != "equal"


def test_a_key_that_no_schema_declares_is_found() -> None:
    shape = shape_of({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}})
    assert compare_rows(shape, [{"a": "x"}], [{"a": "x"}]) == (1, None)
    count, found = compare_rows(shape, [{"a": "x", "b": "y"}], [{"a": "x"}])
    assert (count, found) == (0, "row 0: the row: the JSONL has the undeclared key 'b'")


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("rows = []", "row 0"),
        ("import json; rows = [json.loads(line) for line in open('data/worlds-ru.jsonl', 'rb')]", "row 0"),
        ("rows = 1 / 0", "ZeroDivisionError"),
        ("", "KeyError"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_snippet_that_gives_other_rows_is_found(code: str, named: str, small_release: Path) -> None:
    before = Path.cwd()
    assert named in (check_snippet(worlds(small_release), code).difference or "equal")
    assert Path.cwd() == before


def test_the_page_is_part_of_the_proof(small_release: Path) -> None:
    results = check(HERE, [small_release])
    assert {result.mode for result in results} == {*HERE.modes, "docs/loading.md"}
    assert not [result for result in results if result.difference]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Invoked]:
    """Run the command with this environment's Python for every venv."""
    monkeypatch.setattr(command, "ensure_venv", lambda reader: Path(sys.executable))
    return lambda *arguments: CliRunner().invoke(command.main, [str(argument) for argument in arguments])


def test_the_command_proves_a_folder(run: Callable[..., Invoked], small_release: Path) -> None:
    done = run("--json", "--reader", HERE.name, small_release)
    assert done.exit_code == 0
    (line,) = json.loads(done.output)
    assert line["difference"] is None
    assert line["rows"] == 2 * 4 * 4 + 4
    assert line["loaded"] == "closebench: truth en, truth ru, worlds en, worlds ru"


def test_the_command_exits_1_on_a_difference(run: Callable[..., Invoked], folder: Path) -> None:
    rewrite(folder, CHANGED_ROWS["date"][0])
    done = run("--reader", HERE.name, folder)
    assert done.exit_code == 1
    assert "| closebench worlds en, plain: row 0: period.end: str '2026-11-30' in the JSONL" in done.output


def test_a_reader_that_dies_is_a_difference(
    run: Callable[..., Invoked], small_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "ensure_venv", lambda reader: Path("/bin/false"))
    done = run("--reader", "polars", small_release)
    assert done.exit_code == 1
    assert "the reader died: no message" in done.output


@pytest.mark.parametrize(
    "arguments", [("--reader", "excel"), ("--write", "--reader", "polars"), ("--write", "data/build/x"), ("--colour",)]
)
def test_wrong_usage_exits_2(arguments: tuple[str, ...], run: Callable[..., Invoked]) -> None:
    assert run(*arguments).exit_code == 2


def test_what_is_no_release_folder_cannot_be_proved(
    run: Callable[..., Invoked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("--reader", HERE.name, tmp_path)
    assert done.exit_code == 3
    assert "is no release folder" in done.output
    for manifest in ("[]", "{", '{"family": "f", "configs": {}}', '{"family": "f", "configs": {"a": {"x": {}}}}'):
        (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
        assert run("--reader", HERE.name, tmp_path).exit_code == 3
    monkeypatch.setattr(command, "BUILD", tmp_path / "none")
    done = run()
    assert done.exit_code == 3
    assert "closebench-hub build" in done.output


def test_an_install_that_fails_cannot_be_proved(
    run: Callable[..., Invoked], small_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(reader: Reader) -> Path:
        raise venvs.InstallFailed(f"no venv for {reader.name}: no such version; see to that and run again")

    monkeypatch.setattr(command, "ensure_venv", fail)
    done = run("--reader", "polars", small_release)
    assert done.exit_code == 3
    assert "no venv for polars" in done.output


def test_a_venv_is_made_again_only_when_its_pins_change(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reader = get_reader("polars")
    pins = tmp_path / "polars.txt"
    pins.write_text("polars==1\n", encoding="utf-8")
    commands: list[list[str]] = []

    def install(reader: Reader, command: list[str]) -> None:
        commands.append(command)
        (tmp_path / "venvs" / "polars").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(venvs, "VENVS", tmp_path / "venvs")
    monkeypatch.setattr(venvs, "_run", install)
    monkeypatch.setattr(Reader, "requirements", pins)
    assert venvs.ensure_venv(reader) == venvs.ensure_venv(reader)
    assert len(commands) == 2
    pins.write_text("polars==2\n", encoding="utf-8")
    venvs.ensure_venv(reader)
    assert len(commands) == 4


def test_a_failed_install_leaves_no_venv_that_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text("polars==1\n", encoding="utf-8")
    monkeypatch.setattr(venvs, "VENVS", tmp_path / "venvs")
    monkeypatch.setattr(Reader, "requirements", pins)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(venvs.InstallFailed, match="no venv for polars"):
        venvs.ensure_venv(get_reader("polars"))


def test_committed_table_results_and_pins_agree() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "compat", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_drift_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    results, page = table.RESULTS.read_text(encoding="utf-8"), table.PAGE.read_text(encoding="utf-8")
    assert table.drift(results, page) == []
    lines = table.from_json(results)
    older = [replace(lines[0], version="2.20.0"), *lines[1:]]
    assert len(table.drift(table.to_json(older), page)) == 2
    assert "does not list the readers" in table.drift(table.to_json(lines[1:]), table.insert(page, lines[1:]))[0]
    with monkeypatch.context() as registry:
        registry.setattr(table, "FAMILIES", (*table.FAMILIES, "unheard"))
        assert table.drift(results, page) == [
            f"compat/results.json: {reader.name} has not loaded unheard" for reader in READERS
        ]
    assert table.drift(results, page.replace("every value equal", "every value equal!", 1))
    assert table.drift(results, page.replace("<!-- end -->", ""))
    with pytest.raises(ValueError, match="damaged"):
        table.drift('[{"a": 1}]', page)
    pins = tmp_path / "pins.txt"
    pins.write_text("numpy==1\n", encoding="utf-8")
    monkeypatch.setattr(Reader, "requirements", pins)
    with pytest.raises(ValueError, match="does not pin datasets"):
        table.drift(results, page)


def test_a_line_says_how_many_rows_and_the_first_difference() -> None:
    results = [
        Result("f", "a", "x", "plain", 3, None),
        Result("f", "a", "x", "streaming", 1, "row 1: a | b"),
        Result("f", "b", "x", "plain", 0, "row 0: c"),
    ]
    line = table.summarize(HERE, "9", results)
    assert (line.loaded, line.modes, line.rows) == ("f: a x, b x", ("plain", "streaming"), 4)
    assert line.difference == "f a x, streaming: row 1: a | b"
    assert table.from_json(table.to_json([line])) == [line]
    assert r"row 1: a \| b |" in table.render([line])


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_every_package_of_a_reader_is_pinned_exactly(reader: Reader) -> None:
    lines = [line for line in reader.requirements.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", line)] == []
    assert table.pinned_version(reader)
    assert (ROOT / "compat" / "readers" / f"{reader.module}.py").is_file()
