"""Rows of one seed: the package's own snapshot and truth in the published key order."""

from __future__ import annotations

from pipeline.families.base import Item
from pipeline.families.closebench.package import Package


def make_item(package: Package, lang: str, seed: int) -> Item:
    """Build the world of a seed and write it down.

    ``mode`` and ``lang`` are ours, everything else is ``World.snapshot()`` and ``World.truth()``; the mode follows
    the seed as in the package's command line (source: the published dataset card).

    Args:
        package: the generator.
        lang: ``en`` or ``ru``.
        seed: any integer from 0.
    """
    mode = package.mode_for(seed)
    world = package.world.World(seed=seed, lang=lang, difficulty=mode).build()
    snapshot = world.snapshot()
    head = {"seed": seed, "mode": mode, "lang": lang}
    public = {**head, **{key: snapshot[key] for key in ("company", "period", "accounts", "entries", "documents")}}
    return Item(public=public, truth={**head, **world.truth()})
