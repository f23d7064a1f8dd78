# /// script
# requires-python = ">=3.10"
# dependencies = []
# ///
"""Check this dataset with nothing but Python: the hash of every file, and the answer key by solving every row again.

  python verify.py      (or: uv run verify.py)

solve.py, beside this file, reads a public row alone; what it finds must be the truth row.
Exit codes: 0 all equal; 1 a difference; 2 wrong usage; 3 could not run.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

FOLDER = Path(__file__).absolute().parent  # symlinks unresolved: the Hub's cache keeps the files elsewhere


def check_hashes() -> Iterator[str]:
    """Compare every file with SHA256SUMS, and the list of files with the folder."""
    listed = dict(reversed(line.split("  ", 1)) for line in (FOLDER / "SHA256SUMS").read_text("utf-8").splitlines())
    for path, digest in listed.items():
        if not (FOLDER / path).is_file():
            yield f"{path}: is listed in SHA256SUMS and missing"
        elif hashlib.sha256((FOLDER / path).read_bytes()).hexdigest() != digest:
            yield f"{path}: has another SHA-256 than SHA256SUMS says"
    for path in sorted((FOLDER / "data").iterdir()):
        if f"data/{path.name}" not in listed:
            yield f"data/{path.name}: is not listed in SHA256SUMS"


def read_rows(path: Path, problems: list[str]) -> Iterator[dict]:
    """Yield the rows of a file; a line that is none becomes a problem and an empty row."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(f"data/{path.name}: line {number} is no JSON ({error})")
                row = {}
            yield row if isinstance(row, dict) else {}


def check_truth(public_path: Path, truth_path: Path, problems: list[str]) -> int:
    """Solve every public row and compare with its truth row; return the number of rows."""
    sys.path.insert(0, str(FOLDER))
    sys.dont_write_bytecode = True  # the folder stays as it is
    from solve import solve

    rows = 0
    pairs = zip_longest(read_rows(public_path, problems), read_rows(truth_path, problems), fillvalue={})
    for rows, (public, truth) in enumerate(pairs, 1):
        place = f"data/{truth_path.name}: row {rows} ({truth.get('id', 'without id')})"
        if public.get("id") != truth.get("id"):
            problems.append(f"{place}: its public row is {public.get('id')}")
            continue
        try:
            found = solve(public)
        except Exception as error:  # whatever a damaged row makes the solver raise is a difference
            problems.append(f"{place}: cannot be solved ({type(error).__name__}: {error})")
            continue
        for key, value in found.items():
            if truth.get(key) != value:
                problems.append(f"{place}: {key} is {truth.get(key)!r}, solved {value!r}")
    return rows


def main() -> int:
    """Check everything, print what differs and return the exit code."""
    problems = list(check_hashes())
    truths = sorted((FOLDER / "data").glob("truth-*.jsonl"))
    rows = 0
    for truth in truths:
        split = truth.name.removeprefix("truth-")
        publics = [path for path in (FOLDER / "data").glob(f"*-{split}") if path != truth]
        if len(publics) == 1:
            rows += check_truth(publics[0], truth, problems)
        else:
            problems.append(f"data/{truth.name}: has {len(publics)} public files beside it, not one")
    verdict = f"{len(problems)} differences" if problems else "no difference"
    print(*problems, f"{verdict} ({rows} rows of {len(truths)} splits solved again)", sep="\n")
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    try:
        sys.exit(main())
    except (ImportError, OSError, ValueError, KeyboardInterrupt) as error:
        print(f"error: {' '.join(str(error).split()) or 'stopped'}", file=sys.stderr)
        sys.exit(3)
