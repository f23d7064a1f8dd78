"""The canonical order: nothing of the order in which a world was made is left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pipeline.families.base import Row

_EID = re.compile(r"JE[0-9]{5}")


def ordered_documents(documents: Iterable[Row]) -> list[Row]:
    """Sort documents by date and number."""
    return sorted(documents, key=lambda document: (document["date"], document["doc_id"]))


def ordered_entries(entries: Iterable[Row]) -> tuple[list[Row], dict[str, str]]:
    """Sort entries by date, reference and lines, and number them anew.

    The memo is no part of the key: it is in the row's language, and both languages have to number alike.

    Returns:
        The entries, and the new id of each old one.
    """
    new_ids = {}
    result = []
    for number, entry in enumerate(sorted(entries, key=_place), 1):
        new_id = f"JE{number:05d}"
        new_ids[entry["eid"]] = new_id
        result.append({**entry, "eid": new_id})
    return result, new_ids


def renumbered_error(error: Row, new_ids: dict[str, str]) -> Row:
    """Return a planted error that names entries by their new ids."""
    description = _EID.sub(lambda found: new_ids[found[0]], error["description"])
    return {**error, "description": description, "entry_ids": sorted(new_ids[eid] for eid in error["entry_ids"])}


def _place(entry: Row) -> tuple[Any, ...]:
    lines = [(line["account"], line["debit"], line["credit"]) for line in entry["lines"]]
    return entry["date"], entry["ref"], lines
