"""The command line of the proof: ``python -m compat``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from compat.check import Result
from compat.matrix import READERS, Reader
from compat.release import find_parts
from compat.table import PAGE, RESULTS, Line, drift, insert, pinned_version, render, summarize, to_json
from compat.venvs import ROOT, InstallFailed, clean_environment, ensure_venv

_AT_A_TIME = 2  # one a core: installing is unpacking, and that is work for the processor
BUILD = ROOT / "data" / "build"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--reader", "names", multiple=True, metavar="NAME", help="Prove this reader only; may be repeated.")
@click.option("--write", is_flag=True, help="Update compat/results.json and the table in docs/compatibility.md.")
@click.option("--check", is_flag=True, help="Make no venv; compare the committed table, results and pins.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(folders: tuple[Path, ...], names: tuple[str, ...], write: bool, check: bool, as_json: bool) -> None:
    """Load release folders with every reader and compare every value with the JSONL.

    FOLDER is a release folder; without one, all in data/build.

    \b
    Examples:
      python -m compat
      python -m compat --reader polars data/build/closebench
      python -m compat --check

    Exit codes: 0 done; 1 a difference; 2 wrong usage; 3 could not run.
    """  # noqa: D301 - Click wants a real backspace character where lines must stay as they are
    if write and (names or folders):
        raise click.UsageError("--write needs every reader and every release folder; leave out FOLDER and --reader")
    try:
        if check:
            sys.exit(_check_committed())
        readers, chosen = _choose(names), folders or _built_folders()
        for folder in chosen:
            find_parts(folder)  # before any install: a wrong folder is the commonest failure
        lines = prove(readers, chosen)
        if write:
            RESULTS.write_text(to_json(lines), encoding="utf-8")
            PAGE.write_text(insert(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")
    except (InstallFailed, OSError, ValueError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(3)
    click.echo(to_json(lines) if as_json else render(lines), nl=False)
    sys.exit(1 if any(line.difference for line in lines) else 0)


def prove(readers: Sequence[Reader], folders: Sequence[Path]) -> list[Line]:
    """Make what venvs are missing and run every reader in its own.

    Raises:
        InstallFailed: a venv could not be made.
    """
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(_AT_A_TIME) as pool:
        return list(pool.map(lambda reader: _prove_reader(reader, folders, Path(cache) / reader.name), readers))


def _prove_reader(reader: Reader, folders: Sequence[Path], cache: Path) -> Line:
    done = subprocess.run(
        [str(ensure_venv(reader)), "-m", "compat.check", reader.name, *(str(folder.absolute()) for folder in folders)],
        cwd=ROOT,
        env=clean_environment() | _OFFLINE | {"HF_HOME": str(cache)},  # a used cache could answer for the files
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Line(reader.name, reader.package, pinned_version(reader), "nothing", (), 0, f"the reader died: {words}")
    found = json.loads(done.stdout)
    if sys.stderr.isatty():
        click.echo(f"{reader.name}: {found['version']} done", err=True)
    return summarize(reader, found["version"], [Result(**result) for result in found["results"]])


def _choose(names: tuple[str, ...]) -> list[Reader]:
    known = [reader.name for reader in READERS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"there is no reader {unknown[0]!r}; choose from {', '.join(known)}")
    return [reader for reader in READERS if not names or reader.name in names]


def _built_folders() -> list[Path]:
    folders = sorted(path.parent for path in BUILD.glob("*/manifest.json"))
    if not folders:
        raise OSError(f"no release folder in {BUILD}; run: closebench-hub build")
    return folders


def _check_committed() -> int:
    found = drift(RESULTS.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8"))
    for line in found:
        click.echo(f"{line}; run: make compat", err=True)
    return 1 if found else 0


if __name__ == "__main__":
    main(prog_name="python -m compat")
