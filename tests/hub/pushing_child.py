"""Pushes in processes that a test may kill: ``python pushing_child.py FOLDER REPO``.

Reads lines. ``fork`` makes a process that is ready to push and prints its id; ``go`` lets it push, waits for its end
and prints its exit status, negative for a signal. Forking saves the second that imports take.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import huggingface_hub.hf_api  # noqa: F401 - imported once, before the fork
from tiny_releases import run

from pipeline.errors import PipelineError
from pipeline.hub.client import connect
from pipeline.hub.publish import Push, PushRequest


def push(folder: str, repo_id: str, gate: int) -> int:
    os.read(gate, 1)
    try:
        run(Push(connect(lambda seconds: None), PushRequest(Path(folder), repo_id)))
    except PipelineError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def main(folder: str, repo_id: str) -> None:
    child, gate = 0, 0
    for line in sys.stdin:
        if line.strip() == "fork":
            closed, gate = os.pipe()
            child = os.fork()
            if child == 0:
                os._exit(push(folder, repo_id, closed))
            os.close(closed)
            print(child, flush=True)
        else:
            os.write(gate, b"1")
            os.close(gate)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
