"""The table of results: kept in ``compat/results.json``, shown in ``docs/compatibility.md``, checked without venvs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from compat.check import Result
from compat.matrix import READERS, Reader
from compat.venvs import ROOT
from pipeline.families import FAMILIES

RESULTS = ROOT / "compat" / "results.json"
PAGE = ROOT / "docs" / "compatibility.md"
_MARKED = re.compile(r"(<!-- generated: compatibility -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """One reader's line of the table.

    Attributes:
        reader: the reader's name.
        package: the distribution.
        version: the version that was run.
        loaded: the parts that it was given, ``family: config split, …``.
        modes: how it was made to read them.
        rows: how many rows it gave that were equal, over all parts and modes.
        difference: the first difference; None if there is none.
    """

    reader: str
    package: str
    version: str
    loaded: str
    modes: tuple[str, ...]
    rows: int
    difference: str | None


def summarize(reader: Reader, version: str, results: Sequence[Result]) -> Line:
    """Make a reader's line from its results."""
    parts: dict[str, dict[str, None]] = {}
    for result in results:
        parts.setdefault(result.family, {})[f"{result.config} {result.split}"] = None
    different = [result for result in results if result.difference]
    return Line(
        reader=reader.name,
        package=reader.package,
        version=version,
        loaded="; ".join(f"{family}: {', '.join(found)}" for family, found in parts.items()),
        modes=tuple(dict.fromkeys(result.mode for result in results)),
        rows=sum(result.rows for result in results),
        difference=next((describe(result) for result in different), None),
    )


def describe(result: Result) -> str:
    """Say in one line which part differs in which mode, and how."""
    where = f"{result.family} {result.config} {result.split}, {result.mode}"
    return f"{where}: {' '.join((result.difference or 'equal').split())}"


def render(lines: Sequence[Line]) -> str:
    """Render the Markdown table."""
    rows = ["| reader | version | loaded | read | rows equal | result |", "|---|---|---|---|---:|---|"]
    for line in lines:
        verdict = "every value equal" if line.difference is None else line.difference.replace("|", "\\|")
        modes = ", ".join("the snippet of `docs/loading.md`" if "/" in mode else mode for mode in line.modes)
        rows.append(f"| {line.package} | {line.version} | {line.loaded} | {modes} | {line.rows:,} | {verdict} |")
    return "\n".join(rows) + "\n"


def to_json(lines: Sequence[Line]) -> str:
    """Write the lines as JSON."""
    return json.dumps([asdict(line) for line in lines], indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> list[Line]:
    """Read what `to_json` wrote.

    Raises:
        ValueError: it is damaged.
    """
    try:
        return [Line(**{**line, "modes": tuple(line["modes"])}) for line in json.loads(text)]
    except (TypeError, KeyError) as error:
        raise ValueError(f"damaged: {error}") from None


def pinned_version(reader: Reader) -> str:
    """Return the version that a reader's pins give its package.

    Raises:
        ValueError: the package is not pinned exactly.
    """
    text = reader.requirements.read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(reader.package)}==([^\s;]+)", text, re.MULTILINE)
    if not found:
        raise ValueError(f"{reader.requirements.name} does not pin {reader.package}")
    return found[1]


def insert(page: str, lines: Sequence[Line]) -> str:
    """Put the table between the markers of the page."""
    return _MARKED.sub(lambda found: f"{found[1]}\n{render(lines)}\n{found[2]}", page)


def drift(results: str, page: str) -> list[str]:
    """Say where the committed results, the pins and the page disagree, and which registered families are not in them.

    Args:
        results: the text of ``compat/results.json``.
        page: the text of ``docs/compatibility.md``.

    Raises:
        ValueError: results or pins are damaged.
    """
    lines = from_json(results)
    found = []
    if [line.reader for line in lines] != [reader.name for reader in READERS]:
        found.append("compat/results.json does not list the readers of compat/matrix.py")
    versions = {reader.name: pinned_version(reader) for reader in READERS}
    for line in lines:
        pinned = versions.get(line.reader, line.version)
        if line.version != pinned:
            found.append(f"compat/results.json has {line.reader} {line.version}, the pins say {pinned}")
        loaded = {part.partition(": ")[0] for part in line.loaded.split("; ")}
        missing = [family for family in FAMILIES if family not in loaded]
        if missing:
            found.append(f"compat/results.json: {line.reader} has not loaded {', '.join(missing)}")
    if not _MARKED.search(page) or insert(page, lines) != page:
        found.append("docs/compatibility.md does not show compat/results.json")
    return found
