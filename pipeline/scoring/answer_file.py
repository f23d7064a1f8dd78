"""The bytes of a file of answers: lines by number and place, and one of them again."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pipeline.errors import CannotRun, CheckFailed

MAX_LINE_BYTES = 8 * 2**20
"""A longer line is not read: an answer of the largest allowed size, escaped, is half of this."""

STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank.

    Attributes:
        number: counted from 1, blank lines included.
        place: where it begins in the file.
        data: its bytes; None where they are more than `MAX_LINE_BYTES`.
    """

    number: int
    place: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A seekable file of answers.

    Attributes:
        file: the open file.
        size: its bytes when it was opened; lines added later are not read.
    """

    file: IO[bytes]
    size: int

    def lines(self) -> Iterator[Line]:
        """Yield every line that is not blank."""
        self.file.seek(0)
        number = place = 0
        while place < self.size:
            data = self.file.readline(MAX_LINE_BYTES + 1)
            if not data:
                return
            number += 1
            if len(data) > MAX_LINE_BYTES:
                length = len(data)
                while not data.endswith(b"\n") and (data := self.file.readline(MAX_LINE_BYTES)):
                    length += len(data)
                yield Line(number, place, None)
                place += length
                continue
            if data.strip():
                yield Line(number, place, data)
            place += len(data)

    def line_at(self, place: int) -> bytes:
        """Read the line that begins at a place once more."""
        self.file.seek(place)
        return self.file.readline(MAX_LINE_BYTES + 1)


@contextmanager
def open_answers(path: Path) -> Iterator[AnswerFile]:
    """Open a file of answers, or standard input for ``-``; what cannot be read twice is copied to a temporary file.

    Raises:
        CheckFailed: it is empty.
        CannotRun: it does not exist or is no file.
        OSError: it cannot be read.
    """
    if path == STDIN:
        with _copied(sys.stdin.buffer, "standard input") as answers:
            yield answers
        return
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise CannotRun(f"there is no file {path}; name the JSONL file of answers, or - for standard input") from None
    if stat.S_ISDIR(mode):
        raise CannotRun(f"{path} is a folder; name the JSONL file of answers")
    with path.open("rb") as file:
        if not stat.S_ISREG(mode):
            with _copied(file, str(path)) as answers:
                yield answers
            return
        yield _not_empty(AnswerFile(file, path.stat().st_size), str(path))


@contextmanager
def _copied(source: IO[bytes], name: str) -> Iterator[AnswerFile]:
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(source, file)
        yield _not_empty(AnswerFile(file, file.tell()), name)


def _not_empty(answers: AnswerFile, name: str) -> AnswerFile:
    if not answers.size:
        raise CheckFailed(f"{name} is empty: there is no answer to grade; write one JSON object a line into it")
    return answers
