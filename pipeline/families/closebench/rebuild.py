"""A gradeable world from a pair of rows, without replaying the generator."""

from __future__ import annotations

from functools import cache
from typing import Any

from pipeline.families.base import Item
from pipeline.families.closebench.package import Package


def rebuild_world(package: Package, item: Item) -> Any:
    """Make the ``closebench.world.World`` that the rows were written from.

    Args:
        package: the generator.
        item: rows as generated, that is with absent ``meta`` keys absent and not None: an agent reads ``meta``.

    Returns:
        A world with ledger, documents and planted errors, for ``Session`` and ``grade`` of the package.
    """
    row = item.public
    # Editions with opaque ids give neither seed nor mode, and a world that is not built needs neither.
    world = package.world.World(seed=row.get("seed", 0), lang=row["lang"], difficulty=row.get("mode", "hard"))
    entry_class, line_class = package.ledger.Entry, package.ledger.Line
    amount = cache(package.ledger.D)  # most sides of most lines are 0.00
    for entry in row["entries"]:
        lines = [line_class(line["account"], amount(line["debit"]), amount(line["credit"])) for line in entry["lines"]]
        world.ledger.post(entry_class(entry["eid"], entry["date"], entry["memo"], lines, entry["source"], entry["ref"]))
    world.documents = [package.world.Document(**document) for document in row["documents"]]
    world.errors = [package.world.PlantedError(**error) for error in item.truth["errors"]]
    return world
