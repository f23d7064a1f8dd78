"""The two scripts that ship with closebench, in a venv that holds closebench and nothing else."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, contents

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.seeds import Seeds

SHIP = ROOT / "dataset_card" / "closebench" / "ship"
SCRIPTS = ("build.py", "verify.py")
Run = Callable[..., subprocess.CompletedProcess[str]]


def package_folder() -> Path:
    found = importlib.util.find_spec("closebench")
    assert found
    assert found.origin
    return Path(found.origin).parent


def copy_package(target: Path) -> Path:
    """Copy closebench to `target`/closebench."""
    return shutil.copytree(package_folder(), target / "closebench", ignore=shutil.ignore_patterns("__pycache__"))


def make_venv(folder: Path) -> Path:
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a venv that holds nothing."""
    return make_venv(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a venv that holds closebench only."""
    folder = tmp_path_factory.mktemp("venv")
    made = make_venv(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    copy_package(packages)
    return made


@pytest.fixture
def script(python: Path, tmp_path: Path) -> Run:
    """Run a script in that venv, from another folder than its own."""

    def call(path: Path, *arguments: object, env: dict[str, str] | None = None, by: Path = python) -> Any:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [str(by), str(path), *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=clean | (env or {}),
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture
def folder(small_release: Path, tmp_path: Path) -> Path:
    """A release of four seeds to spoil."""
    return shutil.copytree(small_release, tmp_path / "closebench")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_and_needs_closebench_only(name: str) -> None:
    text = (SHIP / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 120
    imported = {
        module.partition(".")[0]
        for node in ast.walk(ast.parse(text, feature_version=(3, 10)))
        for module in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names | {"closebench"}
    header = text.partition("# /// script\n")[2].partition("# ///\n")[0]
    metadata = tomllib.loads("".join(line.removeprefix("# ") for line in header.splitlines(keepends=True)))
    assert metadata == {"requires-python": ">=3.10", "dependencies": ["closebench==0.1.1"]}


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_shows_an_example_and_the_exit_codes(name: str, folder: Path, script: Run) -> None:
    done = script(folder / name, "--help")
    assert done.returncode == 0
    assert f"python {name}" in done.stdout
    assert "--src" in done.stdout
    assert "Exit codes" in done.stdout


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("verify.py", ("--n", 0)), ("verify.py", ("--n", "x")), ("verify.py", ("--seed", 1)), ("build.py", ("data",))],
)
def test_wrong_usage_exits_2(name: str, arguments: tuple[object, ...], folder: Path, script: Run) -> None:
    assert script(folder / name, *arguments).returncode == 2


def test_the_venv_holds_closebench_only(python: Path, tmp_path: Path, script: Run) -> None:
    asking = tmp_path / "ask.py"
    asking.write_text("import sys, importlib.util as u; print([bool(u.find_spec(m)) for m in sys.argv[1:]])\n", "utf-8")
    assert script(asking, "closebench", "pipeline", "pyarrow", "pip").stdout == "[True, False, False, False]\n"


def test_verify_passes_on_every_published_seed(release: Path, script: Run, unchanged: None) -> None:
    done = script(release / "verify.py", "--n", 100, "--sample-seed", 0)
    assert (done.returncode, done.stderr) == (0, "")
    assert "100 of 100 seeds" in done.stdout


def test_verify_takes_five_seeds_and_repeats_a_sample(release: Path, script: Run) -> None:
    done = script(release / "verify.py")
    assert done.returncode == 0
    assert "5 of 100 seeds" in done.stdout
    sample_seed = done.stdout.split("--sample-seed ")[1].strip(")\n")
    assert script(release / "verify.py", "--sample-seed", sample_seed).stdout == done.stdout


def test_build_rewrites_the_published_bytes(release: Path, script: Run, tmp_path: Path) -> None:
    copy = shutil.copytree(release, tmp_path / "closebench")
    for path in (copy / "data").iterdir():
        path.write_bytes(b"old\n")
    env = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TZ": "Asia/Tokyo"}
    done = script(copy / "build.py", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(copy) == contents(release)
    sums = (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert done.stdout.splitlines() == [line for line in sums if "  data/" in line]


def test_build_makes_the_folder_data(folder: Path, script: Run) -> None:
    shutil.rmtree(folder / "data")
    edit_seeds(folder, "[1]", "[]")
    assert script(folder / "build.py").returncode == 0
    assert sorted(path.name for path in (folder / "data").iterdir()) == [
        "truth-en.jsonl",
        "truth-ru.jsonl",
        "worlds-en.jsonl",
        "worlds-ru.jsonl",
    ]


def edit_seeds(folder: Path, hard: str, absence: str) -> None:
    path = folder / "build.py"
    text = path.read_text(encoding="utf-8")
    text = text.replace("HARD_SEEDS = range(1, 51)", f"HARD_SEEDS = {hard}")
    text = text.replace("ABSENCE_SEEDS = range(1001, 1051)", f"ABSENCE_SEEDS = {absence}")
    path.write_text(text, encoding="utf-8")


def test_edited_seeds_give_what_the_project_builds(folder: Path, script: Run, tmp_path: Path) -> None:
    edit_seeds(folder, "[999, 0, 77]", "range(10**12, 10**12 + 2)")
    assert script(folder / "build.py").returncode == 0
    seeds = Seeds.parse("0,77,999,1000000000000-1000000000001")
    built, _ = build_release(BuildRequest("closebench", tmp_path / "ours", seeds=seeds, engine="serial"))
    assert contents(folder / "data") == contents(built / "data")
    done = script(folder / "verify.py", "--n", 100)
    assert done.returncode == 0
    assert "5 of 5 seeds" in done.stdout


@pytest.mark.parametrize(
    ("hard", "absence", "named"),
    [
        ("[1, 1000]", "[]", "HARD_SEEDS has 1000"),
        ("[1]", "[999]", "ABSENCE_SEEDS has 999"),
        ("[-1]", "[]", "HARD_SEEDS has -1"),
        ("[1, 1]", "[]", "HARD_SEEDS names a seed twice"),
        ("['1']", "[]", "HARD_SEEDS has '1'"),
        ("[True]", "[]", "HARD_SEEDS has True"),
        ("[]", "[2**63]", f"ABSENCE_SEEDS has {2**63}"),
        ("[]", "[]", "are empty"),
        ("5", "[]", "HARD_SEEDS has 'no list'; give a list or range"),
    ],
)
def test_seeds_that_are_none_are_refused(hard: str, absence: str, named: str, folder: Path, script: Run) -> None:
    edit_seeds(folder, hard, absence)
    before = contents(folder)
    done = script(folder / "build.py")
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert contents(folder) == before


def interrupted(error: str) -> str:
    """Return code that makes the third world fail."""
    return f"""
_build, _count = World.build, iter(range(9))
def _failing(self):
    if next(_count) == 2:
        raise {error}
    return _build(self)
World.build = _failing
"""


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "OSError(28, 'No space left on device')"])
def test_an_interrupted_build_costs_nothing(error: str, folder: Path, script: Run, tmp_path: Path) -> None:
    package = copy_package(tmp_path / "checkout")
    with (package / "world.py").open("a", encoding="utf-8") as file:
        file.write(interrupted(error))
    before = contents(folder)
    done = script(folder / "build.py", "--src", tmp_path / "checkout")
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "data/ is as it was" in done.stderr
    assert contents(folder) == before


def test_a_data_folder_that_is_a_file_cannot_be_written(folder: Path, script: Run) -> None:
    shutil.rmtree(folder / "data")
    (folder / "data").write_bytes(b"")
    done = script(folder / "build.py")
    assert done.returncode == 3
    assert "data" in done.stderr


def test_scripts_work_through_the_symlinks_of_the_hub_cache(folder: Path, script: Run, tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    (snapshot / "data").mkdir(parents=True)
    edit_seeds(folder, "[2]", "[1002]")
    for number, path in enumerate([*(folder / "data").iterdir(), folder / "verify.py", folder / "build.py"]):
        shutil.copyfile(path, blobs / str(number))
        (snapshot / path.relative_to(folder)).symlink_to(blobs / str(number))
    assert script(snapshot / "verify.py", "--n", 4).returncode == 0
    before = contents(blobs)
    assert script(snapshot / "build.py").returncode == 0
    assert contents(blobs) == before
    assert len((snapshot / "data" / "truth-en.jsonl").read_bytes().splitlines()) == 2


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("layout", [".", "src"])
def test_src_names_a_checkout(name: str, layout: str, folder: Path, script: Run, tmp_path: Path, bare: Path) -> None:
    copy_package(tmp_path / "checkout" / layout)
    edit_seeds(folder, "[2]", "[1002]")
    assert script(folder / name, "--src", tmp_path / "checkout", by=bare).returncode == 0


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_missing_package_is_named_with_the_cure(name: str, folder: Path, script: Run, bare: Path) -> None:
    done = script(folder / name, by=bare)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "closebench 0.1.1 is needed and none" in done.stderr
    assert "pip install closebench==0.1.1" in done.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_another_version_is_named_with_the_cure(name: str, folder: Path, script: Run, tmp_path: Path) -> None:
    package = copy_package(tmp_path / "checkout")
    (package / "__init__.py").write_text('__version__ = "0.2.0"\n', encoding="utf-8")
    done = script(folder / name, "--src", tmp_path / "checkout")
    assert done.returncode == 3
    assert "0.2.0" in done.stderr
    assert "pip install closebench==0.1.1" in done.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_src_without_the_package_or_a_broken_one_cannot_run(
    name: str, folder: Path, script: Run, tmp_path: Path
) -> None:
    done = script(folder / name, "--src", tmp_path / "nowhere")
    assert done.returncode == 3
    assert "nowhere" in done.stderr
    (copy_package(tmp_path / "checkout") / "ledger.py").unlink()
    done = script(folder / name, "--src", tmp_path / "checkout")
    assert done.returncode == 3
    assert "closebench.ledger" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_oracle_below_1_is_a_difference(folder: Path, script: Run, tmp_path: Path) -> None:
    package = copy_package(tmp_path / "checkout")
    with (package / "grader.py").open("a", encoding="utf-8") as file:
        file.write("_grade = grade\ngrade = lambda world, session: {**_grade(world, session), 'score': 0.9}\n")
    done = script(folder / "verify.py", "--src", tmp_path / "checkout")
    assert done.returncode == 1
    assert "data/truth-en.jsonl: seed 1: errors: the oracle scores 0.9, not 1.0" in done.stdout


def row_change(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """Return a change of a file that changes its second row, seed 31."""

    def changed(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        row = json.loads(lines[1])
        change(row)
        lines[1] = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        return b"".join(lines)

    return changed


def line_change(change: Callable[[list[bytes]], object]) -> Callable[[bytes], bytes]:
    """Return a change of a file's lines."""

    def changed(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        change(lines)
        return b"".join(lines)

    return changed


def move_last(row: dict[str, Any], key: str) -> None:
    row[key] = row.pop(key)


TAMPERED: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "amount": (
        "worlds-en.jsonl",
        row_change(lambda row: row["entries"][3]["lines"][0].update(debit="1.00")),
        'seed 31: entries.3.lines.0.debit is "1.00", the generator gives',
    ),
    "type": ("worlds-en.jsonl", row_change(lambda row: row.update(seed=31.0)), "not the row of a later seed"),
    "true for 1": ("truth-ru.jsonl", lambda data: data.replace(b'"seed":1,', b'"seed":true,'), "line 1 "),
    "mode": ("truth-en.jsonl", row_change(lambda row: row.update(mode="absence")), "seed 31: mode is"),
    "text": (
        "worlds-ru.jsonl",
        row_change(lambda row: row["documents"][0].update(title="Счёт")),
        'seed 31: documents.0.title is "Счёт"',
    ),
    "extra key": ("truth-en.jsonl", row_change(lambda row: row.update(note="")), "seed 31: note is"),
    "missing key": (
        "worlds-en.jsonl",
        row_change(lambda row: row["documents"][0]["meta"].pop("vendor")),
        'seed 31: documents.0.meta.vendor is "nothing"',
    ),
    "missing item": ("truth-ru.jsonl", row_change(lambda row: row["errors"].pop()), "seed 31: errors."),
    "planted amount": (
        "truth-en.jsonl",
        row_change(lambda row: row["errors"][0]["fix"].update(amount="9.99")),
        "seed 31: errors.0.fix.amount is",
    ),
    "null": ("worlds-en.jsonl", row_change(lambda row: row.update(company=None)), "seed 31: company is null"),
    "order of keys": ("truth-en.jsonl", row_change(lambda row: move_last(row, "mode")), "seed 31: the row has other"),
    "spaces": ("truth-en.jsonl", lambda data: data.replace(b'"mode":', b'"mode": '), "seed 31: the row has other"),
    "escapes": (
        "truth-ru.jsonl",
        lambda data: data.replace("о".encode(), b"\\u043e"),
        "seed 31: the row has other bytes",
    ),
    "line ends": ("truth-en.jsonl", lambda data: data.replace(b"\n", b"\r\n"), "seed 31: the row has other bytes"),
    "no last line feed": ("truth-en.jsonl", lambda data: data[:-1], "seed 1018: the row has other bytes"),
    "byte order mark": ("truth-en.jsonl", lambda data: b"\xef\xbb\xbf" + data, "line 1 is not the row"),
    "blank line": ("truth-en.jsonl", lambda data: data + b"\n", "line 5 is not the row"),
    "dropped row": ("worlds-ru.jsonl", line_change(lambda lines: lines.pop(1)), "seed 31: the row is missing"),
    "doubled row": ("worlds-ru.jsonl", line_change(lambda lines: lines.insert(1, lines[1])), "line 3 is not the row"),
    "swapped rows": ("worlds-en.jsonl", line_change(lambda lines: lines.reverse()), "line 2 is not the row"),
    "another world's row": (
        "worlds-en.jsonl",
        line_change(lambda lines: lines.__setitem__(1, lines[0].replace(b'"seed":1,', b'"seed":31,'))),
        "seed 31: ",
    ),
    "row of a new seed": ("truth-en.jsonl", lambda data: data + b'{"seed":5000,"a":1}\n', "seed 5000: mode is"),
    "truncated": ("truth-en.jsonl", lambda data: data[:-100], "seed 1018: the row is no JSON"),
    "invalid UTF-8": (
        "truth-en.jsonl",
        line_change(lambda lines: lines.__setitem__(1, b'{"seed":31,"a":"\xff"}\n')),
        "seed 31: the row is no JSON",
    ),
    "deep nesting": (
        "truth-en.jsonl",
        line_change(lambda lines: lines.__setitem__(1, b'{"seed":31,"a":' + b"[" * 200_000)),
        "seed 31: the row is no JSON",
    ),
    "huge number": (
        "truth-en.jsonl",
        line_change(lambda lines: lines.__setitem__(1, b'{"seed":31,"a":' + b"9" * 5000 + b"}\n")),
        "seed 31: the row is no JSON",
    ),
    "huge line": (
        "truth-en.jsonl",
        line_change(lambda lines: lines.__setitem__(1, b'{"seed":31,"mode":"' + b"a" * 5_000_000 + b'"}\n')),
        'seed 31: mode is "aaa',
    ),
    "empty": ("truth-ru.jsonl", lambda data: b"", "seed 31: the row is missing"),
    "garbage": ("worlds-en.jsonl", lambda data: b"PAR1\x00\xff", "line 1 is not the row"),
}


@pytest.mark.parametrize("kind", TAMPERED)
def test_verify_names_what_was_tampered_with(kind: str, folder: Path, script: Run) -> None:
    name, change, named = TAMPERED[kind]
    path = folder / "data" / name
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
    done = script(folder / "verify.py", "--n", 100)
    assert done.returncode == 1
    assert done.stderr == ""
    assert f"data/{name}" in done.stdout
    assert named in done.stdout
    others = [line for line in done.stdout.splitlines()[:-1] if not line.startswith(f"data/{name}: ")]
    assert kind == "row of a new seed" or not others


def test_a_difference_is_shown_where_stdout_knows_ascii_only(folder: Path, script: Run) -> None:
    path = folder / "data" / "worlds-ru.jsonl"
    path.write_bytes(row_change(lambda row: row.update(company="Ридж"))(path.read_bytes()))
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = script(folder / "verify.py", "--n", 4, env=env)
    assert done.returncode == 1
    assert "seed 31: company is" in done.stdout


@pytest.mark.parametrize("replacement", ["nothing", "a folder"])
def test_a_missing_data_file_is_a_difference(replacement: str, folder: Path, script: Run) -> None:
    path = folder / "data" / "truth-en.jsonl"
    path.unlink()
    if replacement == "a folder":
        path.mkdir()
    done = script(folder / "verify.py")
    assert done.returncode == 1
    assert "data/truth-en.jsonl: seed 1: the row is missing" in done.stdout


@pytest.mark.parametrize("state", ["no folder", "empty files"])
def test_no_rows_at_all_never_pass(state: str, folder: Path, script: Run) -> None:
    for path in (folder / "data").iterdir():
        path.write_bytes(b"")
    if state == "no folder":
        shutil.rmtree(folder / "data")
    done = script(folder / "verify.py")
    assert done.returncode == 1
    assert "has no rows" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.network
def test_the_package_of_the_registry_rebuilds_every_seed(release: Path, script: Run, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "closebench==0.1.1"]
    subprocess.run(install, check=True)
    assert script(release / "verify.py", "--n", 100, "--sample-seed", 0, by=python).returncode == 0
