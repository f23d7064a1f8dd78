"""Where shards are worked on: in this process, or in a pool of processes.

Both are `concurrent.futures.Executor`, which is all that the build asks for.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from typing import Any, Literal, TypeVar

from pipeline.errors import WorkerDied

Task = TypeVar("Task")
Result = TypeVar("Result")

EngineName = Literal["serial", "process"]
ENGINES: tuple[EngineName, ...] = ("serial", "process")

_IN_FLIGHT = 3  # tasks a worker, so that none waits while the parent joins files and memory stays bounded


def available_workers() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SerialExecutor(Executor):
    """Does each task when it is submitted, in this process."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the task now and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def open_engine(name: EngineName, workers: int) -> Iterator[Executor]:
    """Open the executor of an engine; whatever leaves the block early ends its workers at once.

    Args:
        name: ``serial`` or ``process``.
        workers: processes of the pool; one needs no pool.
    """
    engine: Executor = SerialExecutor()
    if name == "process" and workers > 1:
        engine = ProcessPoolExecutor(workers, mp_context=_context(), initializer=_start_worker)
    try:
        yield engine
    except BaseException:
        _end_workers(engine)
        raise
    finally:
        engine.shutdown(cancel_futures=True)


def _end_workers(engine: Executor) -> None:
    """End the workers in the middle of their shards, which nobody wants any more and which may take long."""
    # ProcessPoolExecutor.terminate_workers() does this from Python 3.14 on.
    for process in list((getattr(engine, "_processes", None) or {}).values()):
        process.terminate()


def map_in_order(
    engine: Executor, workers: int, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result]]:
    """Yield each task with its result, in the order of the tasks, with a bounded number of them under way.

    Raises:
        WorkerDied: a worker process ended without an answer.
    """
    waiting: deque[tuple[Task, Future[Result]]] = deque()
    depth = 1 if isinstance(engine, SerialExecutor) else workers * _IN_FLIGHT
    try:
        for task in tasks:
            waiting.append((task, engine.submit(function, task)))
            if len(waiting) >= depth:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    except BrokenProcessPool:
        raise WorkerDied(
            "a worker process died, perhaps killed for lack of memory; try fewer --workers or --engine serial"
        ) from None
    finally:
        for _, future in waiting:
            future.cancel()


def _context() -> BaseContext:
    """Fork where that is safe, because a fresh interpreter a worker costs more than a small build.

    A fork copies only the calling thread, so locks that other threads hold would stay locked for ever.
    """
    safe = sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """End this worker when its parent is gone, even by kill -9: an orphan must not go on writing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
