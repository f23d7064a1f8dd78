"""A progress bar for long work: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(label: str, total: int, unit: str) -> Iterator[Callable[[int], object]]:
    """Yield a function that moves the bar on by a number of units.

    Args:
        label: what is being done.
        total: how many units there are.
        unit: what they are called.
    """
    if not sys.stderr.isatty():
        yield lambda units: None
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no monitor thread: worker processes are forked from a process with one thread
    with tqdm(desc=label, total=total, unit=f" {unit}", leave=False, file=sys.stderr) as bar:
        yield bar.update
