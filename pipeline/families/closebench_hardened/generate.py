"""Rows of one key: a world of the package whose errors all have an effect, rewritten and put in canonical order."""

from __future__ import annotations

from decimal import Decimal
from itertools import count
from typing import Any

from pipeline.families.base import Item, Key, Row
from pipeline.families.closebench.package import Package
from pipeline.families.closebench_hardened.books import Books
from pipeline.families.closebench_hardened.draws import draw as draw_amounts
from pipeline.families.closebench_hardened.harden import harden
from pipeline.families.closebench_hardened.keys import key_text, package_seed, row_id
from pipeline.families.closebench_hardened.order import ordered_documents, ordered_entries, renumbered_error


def make_item(package: Package, mode: str, lang: str, key: Key) -> Item:
    """Make the rows of a key.

    Args:
        package: the generator.
        mode: ``hard`` or ``absence``.
        lang: ``en`` or ``ru``.
        key: a number of the public edition, or any text for another one.

    Raises:
        UsageError: see `pipeline.families.closebench_hardened.keys.key_text`.
    """
    text = key_text(key)
    draw, world = _first_effective(package, mode, lang, text)
    shown, errors = world.snapshot(), world.truth()["errors"]
    books = Books(
        package=package,
        lang=lang,
        year=world.year,
        month=world.close_month,
        end=world.period_end,
        entries=shown["entries"],
        documents={document["doc_id"]: document for document in shown["documents"]},
        planted={error["kind"]: error["amount"] for error in errors},
    )
    harden(books, draw_amounts(mode, text))
    entries, new_ids = ordered_entries(books.entries)
    head = {"id": row_id(mode, lang, text), "lang": lang}
    public = {
        **head,
        **{name: shown[name] for name in ("company", "period", "accounts")},
        "entries": entries,
        "documents": ordered_documents(books.documents.values()),
    }
    origin = {"mode": mode, "key": text, "draw": draw, "seed": package_seed(mode, draw, text)}
    truth = {**head, **origin, "errors": [_plain(renumbered_error(error, new_ids)) for error in errors]}
    return Item(public=public, truth=truth)


def _first_effective(package: Package, mode: str, lang: str, text: str) -> tuple[int, Any]:
    """Build worlds until one has no error without effect.

    Where the accrual of one month is missing there is nothing to release in the next, and the package plants that
    as an error of amount zero all the same: in 4 of 100 worlds.
    """
    for draw in count():
        seed = int(package_seed(mode, draw, text), 16)
        world = package.world.World(seed=seed, lang=lang, difficulty=mode).build()
        if all(Decimal(error.amount) for error in world.errors):
            return draw, world
    raise AssertionError("unreachable")


def _plain(error: Row) -> Row:
    """Write an error's amounts with two decimals, as amounts are everywhere else; the package has 0, 2 or 4."""
    amount = f"{Decimal(error['amount']):.2f}"
    return {**error, "amount": amount, "fix": {**error["fix"], "amount": amount}}
