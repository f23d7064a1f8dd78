"""The code on ``docs/loading.md``, so that the page is run and not only read."""

from __future__ import annotations

import re
from pathlib import Path

HELPER = "Absent keys"
"""The heading of the function that the snippets for Parquet use."""

PAGE = Path(__file__).resolve().parent.parent / "docs" / "loading.md"


def read_snippets(page: str) -> dict[str, str]:
    """Return the Python code under each heading of a page, by the heading's text.

    Args:
        page: Markdown with headings ``## NAME``; several blocks under one heading are one program.
    """
    snippets: dict[str, str] = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        blocks = re.findall(r"^```python\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
        if blocks:
            snippets[section.partition("\n")[0].strip()] = "\n".join(blocks)
    return snippets
