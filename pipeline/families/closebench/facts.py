"""What the card of closebench says of its rows, computed from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pipeline.families.base import Item


@dataclass(slots=True)
class _Mode:
    entries: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)


def card_facts(items: Iterable[tuple[str, Item]]) -> dict[str, Any]:
    """Count worlds, entries, documents and errors, by mode and by kind.

    Splits hold the same worlds in two languages, so that only the first one is counted.

    Returns:
        ``accounts`` (the size of the chart), ``modes`` (a row each), ``kinds`` (a row each, most frequent first, with
        the accounts of its correct entry) and ``void_seeds`` (worlds with an error of amount zero).
    """
    modes: dict[str, _Mode] = {}
    kinds: dict[str, dict[str, Any]] = {}
    void_seeds: list[int] = []
    accounts = 0
    first: str | None = None
    for split, item in items:
        first = first or split
        if split != first:
            break
        accounts = len(item.public["accounts"])
        errors = item.truth["errors"]
        mode = modes.setdefault(item.truth["mode"], _Mode())
        mode.entries.append(len(item.public["entries"]))
        mode.documents.append(len(item.public["documents"]))
        mode.errors.append(len(errors))
        for error in errors:
            fix = error["fix"]
            kind = kinds.setdefault(error["kind"], {"worlds": 0, "pairs": set()})
            kind["worlds"] += 1
            kind["pairs"].add(f"Dr {fix['debit_account']} / Cr {fix['credit_account']}")
        if any(Decimal(error["amount"]) == 0 for error in errors):
            void_seeds.append(item.truth["seed"])
    return {
        "accounts": accounts,
        "modes": [_mode_row(name, mode) for name, mode in modes.items()],
        "kinds": [
            {"kind": name, "worlds": kind["worlds"], "fix": ", ".join(sorted(kind["pairs"]))}
            for name, kind in sorted(kinds.items(), key=lambda entry: (-entry[1]["worlds"], entry[0]))
        ],
        "void_seeds": void_seeds,
    }


def _mode_row(name: str, mode: _Mode) -> dict[str, Any]:
    return {
        "mode": name,
        "worlds": len(mode.errors),
        "entries": _range(mode.entries),
        "documents": _range(mode.documents),
        "errors": _range(mode.errors),
        "errors_total": sum(mode.errors),
    }


def _range(values: list[int]) -> str:
    return str(min(values)) if min(values) == max(values) else f"{min(values)} to {max(values)}"
