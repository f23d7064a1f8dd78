# /// script
# requires-python = ">=3.10"
# dependencies = ["closebench==0.1.1"]
# ///
"""Check rows of data/ against closebench 0.1.1: byte-identical when rebuilt, and oracle score 1.0.

  python verify.py                            5 random seeds, both languages (or: uv run verify.py)
  python verify.py --n 100 --sample-seed 0    every published seed

Exit codes: 0 all equal; 1 a difference; 2 wrong usage; 3 could not run.
"""

import argparse
import json
import random
import re
import sys
from pathlib import Path

VERSION = "0.1.1"
LANGS, CONFIGS = ("en", "ru"), ("worlds", "truth")
DATA = Path(__file__).absolute().parent / "data"  # symlinks unresolved: the Hub's cache keeps the files elsewhere


def require_closebench(src: Path | None) -> None:
    """Make the right closebench importable: the installed package, or a checkout."""
    if src:
        root = next((root for root in (src, src / "src") if (root / "closebench/__init__.py").is_file()), None)
        if not root:
            raise ImportError(f"--src {src} has no folder closebench in it; give the root of a closebench checkout")
        sys.path.insert(0, str(root))
    try:
        from closebench import __version__ as found
    except ImportError:
        found = "none"
    if found != VERSION:
        raise ImportError(f"closebench {VERSION} is needed and {found} found; run: pip install closebench=={VERSION}")


def read_rows(path: Path, problems: list[str]) -> dict[int, bytes]:
    """Return the line of each seed; add to `problems` every line that is not the row of a later seed."""
    rows: dict[int, bytes] = {}
    for number, line in enumerate(path.open("rb") if path.is_file() else (), 1):
        head = re.match(rb'\{"seed":(\d{1,19}),', line)
        if head and int(head[1]) > next(reversed(rows), -1):
            rows[int(head[1])] = line
        else:
            problems.append(f"data/{path.name}: line {number} is not the row of a later seed: {line[:40]}")
    return rows


def difference(found: object, wanted: object, path: str = "") -> str:
    """Return the first field that differs with both values, or nothing."""
    if type(found) is type(wanted) and isinstance(found, (dict, list)):
        left, right = (dict(enumerate(value)) if isinstance(value, list) else value for value in (found, wanted))
        inner = (difference(left.get(key, ...), right.get(key, ...), f"{path}.{key}") for key in {**right, **left})
        return next(filter(None, inner), "")
    has, gives = (json.dumps(value, ensure_ascii=False, default=lambda _: "nothing") for value in (found, wanted))
    return "" if has == gives else f"{path[1:] or 'the row'} is {has[:99]}, the generator gives {gives[:99]}"


def check(seed: int, lang: str, lines: dict[str, bytes]) -> list[str]:
    """Rebuild both rows of a seed and compare; if they are equal, grade the oracle on a world made of the rows."""
    from closebench import grader, ledger, tools, world

    head = {"seed": seed, "mode": "absence" if seed >= 1000 else "hard", "lang": lang}
    built = world.World(seed=seed, lang=lang, difficulty=head["mode"]).build()
    keys, shown, problems = ("company", "period", "accounts", "entries", "documents"), built.snapshot(), []
    for config, part in {"worlds": {key: shown[key] for key in keys}, "truth": built.truth()}.items():
        if lines[config] != json.dumps({**head, **part}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n":
            try:
                what = difference(json.loads(lines[config]), {**head, **part}) or "the row has other bytes"
            except (ValueError, RecursionError) as error:
                what = f"the row is no JSON ({error})" if lines[config] else "the row is missing"
            problems.append(f"data/{config}-{lang}.jsonl: seed {seed}: {what}")
    if not problems:
        row, truth = (json.loads(lines[config]) for config in CONFIGS)
        again = world.World(seed=row["seed"], lang=row["lang"], difficulty=row["mode"])
        for entry in row["entries"]:
            posted = [ledger.Line(x["account"], ledger.D(x["debit"]), ledger.D(x["credit"])) for x in entry["lines"]]
            again.ledger.post(ledger.Entry(**{**entry, "lines": posted}))
        again.documents = [world.Document(**document) for document in row["documents"]]
        again.errors = [world.PlantedError(**error) for error in truth["errors"]]
        session = tools.Session(again)
        for fix in (error.fix for error in again.errors):
            sides = [{"account": fix[f"{side}_account"], side: fix["amount"]} for side in ("debit", "credit")]
            session.post_entry(fix["period"][1], "fix", sides)
        if (score := grader.grade(again, session)["score"]) != 1.0:
            problems.append(f"data/truth-{lang}.jsonl: seed {seed}: errors: the oracle scores {score}, not 1.0")
    return problems


def main(n: int, sample_seed: int, src: Path | None) -> int:
    """Check a sample, print what differs and return the exit code."""
    require_closebench(src)
    problems: list[str] = []
    rows = {(lang, c): read_rows(DATA / f"{c}-{lang}.jsonl", problems) for lang in LANGS for c in CONFIGS}
    seeds = sorted(set().union(*rows.values())) or sys.exit(f"{DATA} has no rows to check; run: python build.py")
    for seed in (sample := sorted(random.Random(sample_seed).sample(seeds, min(n, len(seeds))))):
        for lang in LANGS:
            problems += check(seed, lang, {config: rows[lang, config].get(seed, b"") for config in CONFIGS})
    verdict = f"{len(problems)} differences" if problems else "no difference, every oracle score 1.0"
    print(*problems, f"{verdict} ({len(sample)} of {len(seeds)} seeds, --sample-seed {sample_seed})", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=5, help="how many seeds to check; all if there are fewer")
    parser.add_argument("--sample-seed", type=int, default=random.randrange(2**32), help="for the same sample again")
    parser.add_argument("--src", type=Path, metavar="PATH", help="use this checkout of closebench, not the package")
    if (options := parser.parse_args()).n < 1:
        parser.error("--n must be at least 1")
    try:
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.exit(main(**vars(options)))
    except (ImportError, OSError, KeyboardInterrupt) as error:
        print(f"error: {error or 'stopped'}", file=sys.stderr)
        sys.exit(3)
