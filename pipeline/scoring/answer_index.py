"""Which lines of a file of answers belong to which row, in 16 bytes a line, so that a row is parsed once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from pipeline.scoring.answer_file import MAX_LINE_BYTES, AnswerFile
from pipeline.scoring.answer_line import AnswerLine, BadLine, parse_line
from pipeline.scoring.folder_rows import FolderRows, Show
from pipeline.scoring.problems import DUPLICATE, UNKNOWN, UNREADABLE, Problems


@dataclass(frozen=True, slots=True)
class AnswerIndex:
    """The lines to be graded, by row.

    Attributes:
        starts: for each row where its lines start in the two other arrays, then the total.
        places: where a line begins in the file.
        numbers: its number.
    """

    starts: array[int]
    places: array[int]
    numbers: array[int]

    def count(self, row: int) -> int:
        """Return how many lines a row has."""
        return self.starts[row + 1] - self.starts[row]

    def lines_of(self, row: int) -> Iterator[tuple[int, int]]:
        """Yield (number, place) of each line of a row, in the order of the file."""
        for position in range(self.starts[row], self.starts[row + 1]):
            yield self.numbers[position], self.places[position]


def index_answers(
    answers: AnswerFile, rows: FolderRows, problems: Problems, *, allow_repeats: bool, show: Show
) -> AnswerIndex:
    """Find the row of every line; after that ids are not needed any more, and their memory is given back.

    Args:
        answers: the file.
        rows: the rows that may be answered.
        problems: where lines go that cannot be graded.
        allow_repeats: take several lines for one row; without it the first counts and the others are problems.
        show: told how many bytes were read.
    """
    found, places, numbers = array("I"), array("Q"), array("I")
    first_line = array("I", bytes(4 * len(rows)))
    for line in answers.lines():
        show(line.place, answers.size)
        if line.data is None:
            problems.add(line.number, UNREADABLE, f"it is longer than {MAX_LINE_BYTES} bytes")
            continue
        try:
            given = parse_line(line.data)
        except BadLine as problem:
            problems.add(line.number, UNREADABLE, str(problem))
            continue
        row = _row_of(given, rows)
        if isinstance(row, str):
            problems.add(line.number, UNKNOWN, row)
        elif first_line[row] and not allow_repeats:
            problems.add(line.number, DUPLICATE, f"{given.row} is answered on line {first_line[row]} already")
        else:
            first_line[row] = first_line[row] or line.number
            found.append(row)
            places.append(line.place)
            numbers.append(line.number)
    del first_line
    rows.drop_ids()
    return _group(len(rows), found, places, numbers)


def _row_of(given: AnswerLine, rows: FolderRows) -> int | str:
    """Return the number of the row, or why there is none."""
    by_seed = given.id is None
    row = rows.find_seed(given.split or "", given.seed or 0) if by_seed else rows.find_id(given.id or "")
    if row is None:
        return f"{given.row} is not in the folder"
    if given.split is not None and given.split != (actual := rows.split_of(row).name):
        return f"{given.row} is of split {actual}, not of {ascii(given.split[:80])}"
    return row


def _group(rows: int, found: array[int], places: array[int], numbers: array[int]) -> AnswerIndex:
    """Sort the lines by row, those of a row in the order of the file (a counting sort)."""
    counts = array("I", bytes(4 * (rows + 1)))
    for row in found:
        counts[row + 1] += 1
    starts = array("I", accumulate(counts))
    fill = array("I", starts)
    by_row = AnswerIndex(starts, array("Q", bytes(8 * len(found))), array("I", bytes(4 * len(found))))
    for row, place, number in zip(found, places, numbers, strict=True):
        by_row.places[fill[row]], by_row.numbers[fill[row]] = place, number
        fill[row] += 1
    return by_row
