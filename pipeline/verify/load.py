"""The check *load*: ``datasets.load_dataset`` gives every row back, plain and streaming, equal in type and text.

It goes through the card, as a user of the dataset does: the card says which files hold which config and split.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pipeline.build.encode import canonical_line
from pipeline.build.manifest import Manifest
from pipeline.build.plan import SplitPlan
from pipeline.errors import PipelineError
from pipeline.families.base import Family
from pipeline.reading import drop_absent, read_lines
from pipeline.verify.report import Tally


def check_load(
    folder: Path, family: Family, plans: tuple[SplitPlan, ...], advance: Callable[[int], object], tally: Tally
) -> None:
    """Load every config and split in a temporary cache and compare every row with its canonical line."""
    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory(prefix="closebench-hub-load-") as cache:
        for plan in plans:
            for config in family.configs:
                place = f"{config}/{plan.split}"
                for streaming in (False, True):
                    how = "streaming" if streaming else "plain"
                    try:
                        rows = datasets.load_dataset(
                            str(folder),
                            config,
                            split=plan.split,
                            streaming=streaming,
                            cache_dir=cache,
                        )
                        _compare(rows, read_lines(folder, config, plan.split), place, how, tally)
                    except PipelineError as problem:
                        tally.find("load", place, str(problem))
                    except Exception as error:  # whatever a reader of damaged files raises is the finding
                        message = " ".join(str(error).split())[:200]
                        tally.find("load", place, f"{how}: {type(error).__name__}: {message}")
                advance(plan.seeds.count)


def _compare(rows: Iterable[Any], lines: Iterable[bytes], place: str, how: str, tally: Tally) -> None:
    for index, (row, line) in enumerate(zip_longest(rows, lines)):
        if row is None or line is None:
            tally.find("load", place, f"{how}: {'fewer' if row is None else 'more'} rows than lines")
            return
        if canonical_line(drop_absent(row), place) != line:
            tally.find("load", place, f"{how}: row {index} differs from its JSONL line")
            return
        tally.count(rows=1)


def why_not(manifest: Manifest) -> str | None:
    """Say why the check cannot run; None if it can."""
    return None if "parquet" in manifest.formats else "the folder holds no Parquet"
