"""The file of per-row results: JSONL, written beside its place and moved in when it is whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.errors import UsageError
from pipeline.families.base import Grade

Write = Callable[[Mapping[str, Any]], object]


@contextmanager
def results_file(path: Path | None, answers: Path, release: Path) -> Iterator[Write | None]:
    """Yield a function that writes one result, or None if there is no file to write.

    Args:
        path: where the results go; None for nowhere.
        answers: the file of answers, which must not be overwritten.
        release: the release folder that is graded, in which nothing must be written.

    Raises:
        UsageError: something is there that is no plain file, it is the file of answers, or it lies in the release.
        OSError: it cannot be written.
    """
    if path is None:
        yield None
        return
    if path.exists():
        if not path.is_file():
            raise UsageError(f"--out {path} is there and is no file; name another place")
        if answers.exists() and path.samefile(answers):
            raise UsageError(f"--out {path} is the file of answers; name another place")
    place = path.resolve()  # a link stays a link
    if place.is_relative_to(release.resolve()):
        raise UsageError(f"--out {path} lies in the release folder {release}, which stays as it is; name another place")
    beside = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        with beside.open("x", encoding="ascii", newline="\n") as file:
            yield lambda result: file.write(json.dumps(result, separators=(",", ":")) + "\n")
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def grades_as_json(grades: Mapping[str, Grade]) -> dict[str, Any]:
    """Write grades down: the headline's fields at the top, every further grader's under its name."""
    (_, headline), *others = grades.items()
    return {**_fields(headline), **{name: _fields(grade) for name, grade in others}}


def _fields(grade: Grade) -> dict[str, Any]:
    return {"score": grade.score, "passed": grade.passed, "error": grade.error, "parts": dict(grade.parts)}
