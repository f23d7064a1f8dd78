"""Finds texts of the answer key in what an agent may see."""

from __future__ import annotations

import json
import re

import orjson

from pipeline.families.base import Family, Item


def leaked_texts(family: Family, item: Item) -> list[str]:
    """Return the secret texts of an item that stand in its public row, in order, each once.

    A text counts wherever it stands in the row's JSON, plain or escaped once more (inside a string that is JSON
    itself); a text that begins or ends with a letter or digit must stand as a whole word, so that the error id
    ``E1`` is not found in ``JE1``.
    """
    page = orjson.dumps(item.public).decode()
    return list(dict.fromkeys(text for text in family.secret_texts(item) if _stands_in(text, page)))


def _stands_in(text: str, page: str) -> bool:
    for form in {text, json.dumps(text, ensure_ascii=False)[1:-1]}:
        if form in page:  # quick, and nearly always the end of it
            before = r"(?<!\w)" if form[:1].isalnum() else ""
            after = r"(?!\w)" if form[-1:].isalnum() else ""
            if re.search(before + re.escape(form) + after, page):
                return True
    return False
