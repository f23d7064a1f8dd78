"""Grades a file of answers against a release folder, in bounded memory: a row and an answer at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.build.manifest import read_manifest
from pipeline.errors import CannotRun, CheckFailed
from pipeline.families.base import Family, Grade
from pipeline.scoring.answer_file import STDIN, AnswerFile, open_answers
from pipeline.scoring.answer_index import AnswerIndex, index_answers
from pipeline.scoring.answer_line import AnswerLine, BadLine, parse_line
from pipeline.scoring.folder_rows import FolderRows, Show, Split, open_folder
from pipeline.scoring.problems import Problems
from pipeline.scoring.results_file import Write, grades_as_json, results_file
from pipeline.scoring.summary import Summary, join, summarise
from pipeline.scoring.tally import Tally

Progress = Callable[[str, str], AbstractContextManager[Show]]
"""Opens a progress bar, given what is being done and the unit."""


def grade_answers(folder: Path, path: Path, *, out: Path | None, allow_repeats: bool, progress: Progress) -> Summary:
    """Grade every answer and work out the figures.

    Args:
        folder: the release folder.
        path: the file of answers, ``-`` for standard input.
        out: where the results go, a line an answer and a line a row without one, in the order of the rows.
        allow_repeats: take several answers to one row.
        progress: shows how far it is.

    Raises:
        CheckFailed: the folder is damaged, or there is no answer at all.
        UsageError: `out` cannot take a file, or lies in the folder.
        CannotRun: there is no such file, or the folder is no release folder.
        OSError: a file cannot be read or written.
    """
    problems = Problems()
    with ExitStack() as stack:
        read_manifest(folder)  # a folder that is none is said before anything about the answers
        write = stack.enter_context(results_file(out, path, folder))
        answers = stack.enter_context(open_answers(path))
        with progress("read the rows", "rows") as show:
            rows = stack.enter_context(open_folder(folder, show))
        with progress("read the answers", "bytes") as show:
            index = index_answers(answers, rows, problems, allow_repeats=allow_repeats, show=show)
        if not len(index.places) and not problems.total:
            name = "standard input" if path == STDIN else path
            raise CheckFailed(f"{name} holds blank lines only: there is no answer to grade")
        with progress("grade", "answers") as show:
            job = _Job(rows, answers, index, write, show)
            tallies = {split.name: job.tally(split) for split in rows.splits}
    family, version = rows.family, rows.manifest.data_version
    del rows, index, job  # as large as the figures below
    return _summary(family, version, tallies, problems)


def _summary(family: Family, version: str, tallies: Mapping[str, Tally], problems: Problems) -> Summary:
    together = None if family.parallel_splits or len(tallies) < 2 else join(list(tallies.values()))
    key = f"{family.name}:{version}"
    return Summary(
        family=family.name,
        data_version=version,
        headline=family.graders[0],
        splits={split: summarise(tally, f"{key}:{split}") for split, tally in tallies.items()},
        together=summarise(together, key) if together else None,
        infra_errors=sum(tally.infra_errors for tally in tallies.values()),
        problems=problems,
    )


@dataclass(slots=True)
class _Job:
    """Grading, row after row."""

    rows: FolderRows
    answers: AnswerFile
    index: AnswerIndex
    write: Write | None
    show: Show
    _done: int = 0

    def tally(self, split: Split) -> Tally:
        """Grade the answers to every row of a split."""
        tally = Tally(self.rows.family.graders)
        for number in range(split.first, split.first + len(split)):
            tally.add(self._grade_row(number, split))
        return tally

    def _grade_row(self, number: int, split: Split) -> Iterator[dict[str, Grade] | None]:
        """Yield the grades of each answer to a row, None for an infrastructure error, and write the results."""
        family = self.rows.family
        answered = self.index.count(number)
        if not answered and self.write is None:
            return
        item = self.rows.item(number)
        row: dict[str, Any] = {"id": family.row_id(item.public), "split": split.name}
        row |= {"seed": item.public["seed"]} if "seed" in item.public else {}
        if not answered:
            nothing = dict.fromkeys(family.graders, Grade(0.0, False, "there is no answer to this row"))
            self._write({**row, "line": None, "status": "missing", **grades_as_json(nothing)})
        for line_number, place in self.index.lines_of(number):
            given = self._line_at(place, line_number)
            row["line"] = line_number
            if given.answer is None:
                error = {"status": "infra_error", "score": None, "passed": None, "error": given.infra_error}
                self._write({**row, **error})
                yield None
            else:
                grades = family.grade(item, given.answer)
                self._write({**row, "status": "graded", **grades_as_json(grades)})
                yield grades
            self._done += 1
            self.show(self._done, len(self.index.places))

    def _write(self, result: dict[str, Any]) -> None:
        if self.write is not None:
            self.write(result)

    def _line_at(self, place: int, number: int) -> AnswerLine:
        try:
            return parse_line(self.answers.line_at(place))
        except BadLine:
            raise CannotRun(f"line {number} of the answers changed while they were read; run this again") from None
