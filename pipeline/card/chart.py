"""The bar chart of a card: what answers score that range from nothing to the truth.

Drawn with matplotlib (the extra ``chart``) and committed; the numbers that it shows stand in the PNG's own metadata, so
that a check needs no plotting library: ``python -m pipeline.card.chart [--check]``.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import resources
from pipeline.card.how_far import how_far
from pipeline.families import FAMILIES, get_family
from pipeline.scoring.measured import read_measured

CHART = "how_far.png"
_KEY = "Numbers"
_COLOURS = ("#30638e", "#d1495b")
_PNG = b"\x89PNG\r\n\x1a\n"


def chart_path(family: str) -> Path:
    """Return the chart of a family; it ships with the data."""
    return resources.card_folder(family) / "ship" / CHART


def numbers_digest(floors: Sequence[Mapping[str, Any]]) -> str:
    """Digest what a chart shows."""
    shown = [[floor[key] for key in ("part", "answer", "grader", "mean", "mean_interval")] for floor in floors]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def read_digest(png: bytes) -> str | None:
    """Return the digest of the numbers that a chart was drawn from; None if it says nothing of it."""
    for kind, data in _chunks(png):
        key, _, text = data.partition(b"\0")
        if kind == b"tEXt" and key == _KEY.encode():
            return text.decode("latin-1")
    return None


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_PNG)
    while png.startswith(_PNG) and place + 8 <= len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        yield kind, png[place + 8 : place + 8 + length]
        place += length + 12


def draw(title: str, floors: Sequence[Mapping[str, Any]]) -> bytes:
    """Draw the bars: a group for each answer and part, a bar for each grader, with its interval."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    graders = list(dict.fromkeys(floor["grader"] for floor in floors))
    groups = list(dict.fromkeys((floor["part"], floor["answer"]) for floor in floors))
    height = 0.8 / len(graders)
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.42 * len(groups)), layout="constrained")
    for number, grader in enumerate(graders):
        mine = {(floor["part"], floor["answer"]): floor for floor in floors if floor["grader"] == grader}
        places = [index + (number - (len(graders) - 1) / 2) * height for index in range(len(groups))]
        means = [mine[group]["mean"] for group in groups]
        low, high = zip(*(mine[group]["mean_interval"] for group in groups), strict=True)
        errors = [
            [max(0.0, mean - bound) for mean, bound in zip(means, low, strict=True)],
            [max(0.0, bound - mean) for mean, bound in zip(means, high, strict=True)],
        ]
        axes.barh(places, means, height * 0.9, label=grader, color=_COLOURS[number % len(_COLOURS)])
        axes.errorbar(means, places, xerr=errors, fmt="none", ecolor="#333333", capsize=2, linewidth=0.8)
        for place, mean, top in zip(places, means, high, strict=True):
            axes.text(max(mean, top) + 0.012, place, f"{mean:.3f}", va="center", fontsize=8)
    axes.set_yticks(range(len(groups)), [f"{answer}  [{part}]" for part, answer in groups], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.1)
    axes.set_xlabel("mean score over the rows, with its 95 % interval")
    axes.set_title(title, loc="left", fontsize=11)
    figure.legend(*axes.get_legend_handles_labels(), title="grader", loc="outside upper right", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=110, metadata={"Software": None, _KEY: numbers_digest(floors)})
    pyplot.close(figure)
    return png.getvalue()


def main(check: bool) -> int:
    """Draw every chart whose numbers have changed, or name those."""
    stale = []
    for name in FAMILIES:
        family = get_family(name)
        floors = how_far(family, read_measured(name))["floors"]
        path = chart_path(name)
        if path.is_file() and read_digest(path.read_bytes()) == numbers_digest(floors):
            continue
        stale.append(path)
        if not check:
            path.write_bytes(draw(f"{family.title}: how far answers get", floors))
    for path in stale:
        if check:
            print(f"error: {path} was drawn from other numbers; run: python -m pipeline.card.chart", file=sys.stderr)
        else:
            print(f"drawn: {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
