"""A progress bar for long work: on a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], object]


@contextmanager
def progress(label: str, unit: str) -> Iterator[Progress]:
    """Yield a function that is told how many units are done, and of how many.

    Args:
        label: what is being done.
        unit: what the units are called.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no monitor thread: worker processes are forked from a process with one thread
    with tqdm(desc=label, unit=f" {unit}", leave=False, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
