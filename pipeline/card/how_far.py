"""What a card says of how far an agent gets without accounting: the part of the measurements that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.errors import CannotRun
from pipeline.families.base import Family


def how_far(family: Family, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Choose what is shown, each world once.

    Args:
        family: the family.
        measured: its ``measured.json``.

    Returns:
        ``floors``: rows of floors; the lazy guesses are left out but the best one of each difficulty.
        ``rules``: a row each with the sums over its kinds.
        ``probe_asked`` and ``probe_found``: kinds that the probe was asked about, and those that it found, by
        difficulty. ``alpha``, ``claims_checked``, ``claims_broken`` (names) and ``seeds_found`` (share of rows whose
        seed a search finds, with the number of seeds tried).

    Raises:
        CannotRun: the family has not been audited.
    """
    if "audit" not in measured:
        raise CannotRun(f"{family.name} has no audit to show; run: closebench-hub audit {family.name} --write")
    audit, splits = measured["audit"], _splits(family)
    shortcuts = audit["shortcuts"]
    probe = [asked for asked in shortcuts["probe"] if _counts(asked["pool"], splits)]
    identity = [search for search in audit["identity"] if search["split"] in splits]
    return {
        "floors": _floors(measured, splits),
        "rules": [_rule(rule, splits) for rule in shortcuts["rules"]],
        "probe_asked": len(probe),
        "probe_found": [_named(asked) for asked in probe if asked["found"]],
        "alpha": audit["alpha"],
        "claims_checked": len(audit["claims"]),
        "claims_broken": [claim["statement"] for claim in audit["claims"] if claim["broken"] and claim["binding"]],
        "seeds_found": sum(search["found"] for search in identity),
        "seeds_asked": sum(search["rows"] for search in identity),
        "seeds_tried": max((search["tried"] for search in identity), default=0),
    }


def _splits(family: Family) -> tuple[str, ...]:
    """Return the splits to show: of parallel ones, which hold the same worlds, the first."""
    repeated = {split for group in family.parallel_groups for split in group[1:]}
    return tuple(split for split in family.splits if split not in repeated)


def _counts(pool: str, splits: Sequence[str]) -> bool:
    return all(split in splits for split in pool.split("+"))


def _named(asked: Mapping[str, Any]) -> str:
    return f"{asked['kind']} ({asked['stratum']})" if asked["stratum"] else str(asked["kind"])


def _rule(rule: Mapping[str, Any], splits: Sequence[str]) -> dict[str, Any]:
    kinds = [kind for kind in rule["kinds"] if _counts(kind["pool"], splits)]
    sums = {
        key: sum(kind[key] for kind in kinds) for key in ("true_positives", "planted", "false_positives", "not_planted")
    }
    better = sum(kind["better"] for kind in kinds)
    return {"name": rule["name"], "nature": rule["nature"], "why": rule["why"], "better": better, **sums}


def _floors(measured: Mapping[str, Any], splits: Sequence[str]) -> list[dict[str, Any]]:
    known = {row["answer"] for row in measured["baselines"]["rows"]} - {"empty", "oracle"}
    headline = measured["baselines"]["graders"][0]
    shown = []
    floors = [floor for floor in measured["audit"]["floors"] if floor["split"] in splits]
    for group in dict.fromkeys((floor["split"], floor["stratum"]) for floor in floors):
        mine = [floor for floor in floors if (floor["split"], floor["stratum"]) == group]
        lazy = [floor for floor in mine if floor["answer"] in known and floor["grader"] == headline]
        best = max(lazy, key=lambda floor: float(floor["mean"]), default={"answer": ""})["answer"]
        shown += [{**floor, "part": _part(*group)} for floor in mine if floor["answer"] not in known - {best}]
    return shown


def _part(split: str, stratum: str) -> str:
    return f"{split}, {stratum}" if stratum and stratum not in split else split
