"""Measures the build side by side with the published way and with what people do today to get Parquet.

Every round runs each way once, so that a slow moment of the machine hits all of them; medians and ratios are over the
rounds. CPU is that of the process and all its children, memory the peak of the largest single process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
HUB = [sys.executable, "-m", "pipeline", "build", "closebench", "--out"]
WAYS = {
    "published way (JSONL only)": [sys.executable, str(BENCH / "published_way.py")],
    "build --engine serial": [*HUB, "{out}", "--engine", "serial"],
    "build (process pool)": [*HUB, "{out}"],
    "JSONL, load_dataset, to_parquet": [sys.executable, str(BENCH / "usual_way_to_parquet.py")],
}
FLOOR = "published way (JSONL only)"
LARGE = ["--split", "en", "--seeds"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: CPU and wall time in seconds, peak memory in MiB."""

    cpu: float
    wall: float
    memory: float


def run(command: list[str]) -> Cost:
    """Run a command and take its cost."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def measure(command: list[str]) -> Cost:
    """Run a command on an empty folder, put for ``{out}`` or at the end, and take its cost."""
    with tempfile.TemporaryDirectory() as out:
        words = [word.replace("{out}", out) for word in command]
        return run(words if words != command else [*words, out])


def compare(rounds: int) -> None:
    """Print the table of the default build."""
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, command in WAYS.items():
            costs[way].append(measure(command))
    print(f"closebench, 400 rows, medians of {rounds} rounds; ratios are medians of the ratios within a round\n")
    print(f"{'':34}{'CPU s':>8}{'wall s':>8}{'MiB':>8}{'CPU ratio':>11}{'wall ratio':>12}")
    for way, runs in costs.items():
        pairs = list(zip(runs, costs[FLOOR], strict=True))
        print(
            f"{way:34}{median(run.cpu for run in runs):8.2f}{median(run.wall for run in runs):8.2f}"
            f"{max(run.memory for run in runs):8.0f}"
            f"{median(run.cpu / floor.cpu for run, floor in pairs):11.2f}"
            f"{median(run.wall / floor.wall for run, floor in pairs):12.2f}"
        )


def compare_proofs(rounds: int) -> None:
    """Print what verifying and the card cost against the build of the same rows, each in one process."""
    with tempfile.TemporaryDirectory() as out:
        build = [*HUB, out, "--engine", "serial"]
        verify = [
            sys.executable,
            "-m",
            "pipeline",
            "verify",
            f"{out}/closebench/",
            "--engine",
            "serial",
            "--skip",
            "load",
        ]
        card = [sys.executable, str(BENCH / "card_cost.py"), f"{out}/closebench"]
        ratios: dict[str, list[float]] = {"verify, load left out": [], "card, part of the build": []}
        for _ in range(rounds):
            built = run(build).cpu
            ratios["verify, load left out"].append(run(verify).cpu / built)
            shown = subprocess.run(card, capture_output=True, text=True, check=True).stdout
            ratios["card, part of the build"].append(float(shown) / built)
    print(f"\nCPU against the build of the same rows, medians of {rounds} rounds\n")
    for what, values in ratios.items():
        print(f"{what:34}{median(values):8.2f}")


def compare_large(worlds: int) -> None:
    """Print worlds a second and peak memory of a large build under both engines, and the memory of a small one."""
    print(f"\n{worlds:,} worlds of one split\n\n{'':34}{'worlds/s':>10}{'MiB':>8}")
    small = measure([*HUB, "{out}", *LARGE, "1-1000"])
    print(f"{'1,000 worlds, process pool':34}{1000 / small.wall:10.0f}{small.memory:8.0f}")
    runs = {}
    for engine in ("serial", "process"):
        runs[engine] = measure([*HUB, "{out}", *LARGE, f"1-{worlds}", "--engine", engine])
        print(f"{engine:34}{worlds / runs[engine].wall:10.0f}{runs[engine].memory:8.0f}")
    print(f"\nspeed-up of the pool: {runs['serial'].wall / runs['process'].wall:.2f}")
    print(f"memory against 1,000 worlds: {runs['process'].memory / small.memory:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of the default build (default: 7)")
    parser.add_argument("--worlds", type=int, default=20_000, help="size of the large build (default: 20000; 0: none)")
    arguments = parser.parse_args()
    compare(arguments.rounds)
    compare_proofs(arguments.rounds)
    if arguments.worlds:
        compare_large(arguments.worlds)
