# /// script
# requires-python = ">=3.10"
# dependencies = ["closebench==0.1.1"]
# ///
"""Check this folder against closebench 0.1.1 and nothing else: python verify.py, or uv run verify.py.

Every file is the one that SHA256SUMS lists. For each world: id and seed follow from its key by SHA-256; closebench
plants exactly these errors for that seed, and one without effect for each seed passed over; entries balance, in
canonical order; cash and inventory never run out; the oracle scores 1.0; both languages have the same numbers.

Exit codes: 0 all true; 1 something is not; 3 could not run.
"""

import hashlib
import json
import sys
from decimal import Decimal
from itertools import groupby
from pathlib import Path

VERSION = "0.1.1"
HERE = Path(__file__).absolute().parent  # symlinks unresolved: the Hub's cache keeps the files elsewhere
SIDES = ("debit", "credit")


def sha256(data: bytes) -> str:
    """Digest bytes."""
    return hashlib.sha256(data).hexdigest()


def origin(row: dict, truth: dict) -> list[str]:
    """Check that id, seed and errors of a world are what its key gives."""
    from closebench.world import World

    mode, lang, key, draw = (truth[name] for name in ("mode", "lang", "key", "draw"))
    own_id = f"{lang}-{sha256(f'closebench_hardened/id/{mode}/{key}'.encode())[:16]}"
    seeds = [sha256(f"closebench_hardened/world/{mode}/{number}/{key}".encode()) for number in range(draw + 1)]
    *passed_over, planted = [World(int(seed, 16), lang, mode).build().errors for seed in seeds]
    wanted, found = (
        [(kind, *(fix[f"{side}_account"] for side in SIDES), Decimal(fix["amount"])) for kind, fix in errors]
        for errors in ([(e.kind, e.fix) for e in planted], [(e["kind"], e["fix"]) for e in truth["errors"]])
    )
    checks = {
        "id is not that of the key": row["id"] == truth["id"] == own_id,
        "seed is not that of the key": truth["seed"] == seeds[-1],
        "draw passes over a sound world": all(any(not Decimal(e.amount) for e in errors) for errors in passed_over),
        "errors are not those that closebench plants": found == wanted and all(amount for *_, amount in found),
    }
    return [problem for problem, holds in checks.items() if not holds]


def books(row: dict) -> list[str]:
    """Check balance, order, numbering, and that cash and inventory never run out."""
    entries, documents = row["entries"], row["documents"]
    lines = [[(x["account"], Decimal(x["debit"]) - Decimal(x["credit"])) for x in entry["lines"]] for entry in entries]
    places = [(entry["date"], entry["ref"]) for entry in entries], [(d["date"], d["doc_id"]) for d in documents]
    checks = {
        "an entry does not balance": not any(sum(amount for _, amount in entry) for entry in lines),
        "entries are misnumbered": all(e["eid"] == f"JE{number:05d}" for number, e in enumerate(entries, 1)),
        "entries or documents are not in canonical order": all(place == sorted(place) for place in places),
    }
    balance = {account["code"]: Decimal(0) for account in row["accounts"]}
    for date, day in groupby(zip(entries, lines, strict=True), lambda pair: pair[0]["date"]):
        for account, amount in (line for _, posted in day for line in posted):
            balance[account] += amount
        checks[f"cash or inventory is negative on {date}"] = min(balance["1000"], balance["1200"]) >= 0
    return [problem for problem, holds in checks.items() if not holds]


def oracle(row: dict, truth: dict) -> list[str]:
    """Grade the fixes with closebench on a world made of the rows."""
    from closebench import grader, ledger, tools, world

    again = world.World(0, row["lang"])
    for entry in row["entries"]:
        posted = [ledger.Line(x["account"], *(ledger.D(x[side]) for side in SIDES)) for x in entry["lines"]]
        again.ledger.post(ledger.Entry(**{**entry, "lines": posted}))
    again.errors = [world.PlantedError(**error) for error in truth["errors"]]
    session = tools.Session(again)
    for fix in (error.fix for error in again.errors):
        session.post_entry(fix["period"][1], "fix", [{"account": fix[f"{x}_account"], x: fix["amount"]} for x in SIDES])
    return [] if (score := grader.grade(again, session)["score"]) == 1.0 else [f"the oracle scores {score}"]


def numbers(row: dict) -> list:
    """Return what both languages of a world have in common."""
    documents = [(d["doc_id"], d["date"], *map(d["meta"].get, ("amount", "amount_eur"))) for d in row["documents"]]
    return [documents, *({key: value for key, value in entry.items() if key != "memo"} for entry in row["entries"])]


def main() -> int:
    """Check files and worlds, print what is wrong and return the exit code."""
    from closebench import __version__ as found

    if found != VERSION:
        raise ImportError(f"closebench {VERSION} is needed and {found} found; run: pip install closebench=={VERSION}")
    listed = [line.split("  ", 1) for line in (HERE / "SHA256SUMS").read_text("utf-8").splitlines()]
    problems = [f"{path}: another file" for digest, path in listed if sha256((HERE / path).read_bytes()) != digest]
    worlds: dict[str, list] = {}
    for path in sorted(HERE.glob("data/worlds-*_*.jsonl")) if not problems else ():
        other = path.with_name(path.name.replace("worlds", "truth", 1))
        for row, truth in (map(json.loads, pair) for pair in zip(path.open("rb"), other.open("rb"), strict=True)):
            try:
                found = origin(row, truth) + books(row) or oracle(row, truth)
                same = worlds.setdefault(row["id"][3:], numbers(row)) == numbers(row)
                found += [] if same else ["the languages differ in a number"]
            except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
                found = [f"the rows cannot be checked ({error!r})"]
            problems += [f"{path.name}: {row['id']}: {problem}" for problem in found]
    print(*problems, f"{len(worlds)} worlds checked, {len(problems)} problems", sep="\n")
    return 0 if worlds and not problems else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, ValueError, KeyboardInterrupt) as error:
        print(f"error: {error or 'stopped'}", file=sys.stderr)
        sys.exit(3)
