"""An audit as JSON types, as `measured.json` and ``--json`` hold it."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import Any

from pipeline.audit.claims import Checked
from pipeline.audit.floors import Floor
from pipeline.audit.probe import Finding
from pipeline.audit.run import Audit
from pipeline.audit.shortcuts import Association, Hits
from pipeline.audit.significance import ALPHA

AUDIT = "audit"
"""The key of an audit in ``measured.json``."""

_DECIMALS = 6
_LISTED_ROWS = 100
_LISTED_BREAKS = 10


def as_json(audit: Audit) -> dict[str, Any]:
    """Write an audit down; sections that were not asked for are left out."""
    content: dict[str, Any] = {"data_version": audit.rows.data_version, "rows": audit.rows.count, "alpha": ALPHA}
    if audit.claims is not None:
        content["claims"] = [_claim(claim) for claim in audit.claims]
    if audit.hits is not None:
        content["shortcuts"] = {
            "rules": _rules(audit.hits),
            "side_effects": [_association(one) for one in audit.associations or ()],
            "probe": [_finding(one) for one in audit.findings or ()],
            "artefacts": audit.artefacts,
        }
    if audit.floors is not None:
        content["floors"] = [_floor(one) for one in audit.floors]
    if audit.identity is not None:
        content["identity"] = [asdict(one) for one in audit.identity]
    return content


def _claim(claim: Checked) -> dict[str, Any]:
    return {
        "name": claim.name,
        "statement": claim.statement,
        "binding": claim.binding,
        "checked": claim.rows,
        "broken": len(claim.broken_rows),
        "breaks": len(claim.breaks),
        "rows": list(claim.broken_rows[:_LISTED_ROWS]),
        "first": [f"{row}: {text}" for row, text in claim.breaks[:_LISTED_BREAKS]],
    }


def _rules(hits: Any) -> list[dict[str, Any]]:
    ordered = sorted(hits, key=lambda one: [other.rule.name for other in hits].index(one.rule.name))
    return [
        {
            "name": rule.name,
            "nature": rule.nature,
            "why": rule.why,
            "kinds": [_hits(one) for one in group],
        }
        for rule, group in ((key, list(group)) for key, group in groupby(ordered, key=lambda one: one.rule))
    ]


def _hits(one: Hits) -> dict[str, Any]:
    return {
        "pool": one.pool,
        "kind": one.kind,
        "true_positives": one.hits,
        "planted": one.planted,
        "false_positives": one.false,
        "not_planted": one.absent,
        "p": _significant(one.p),
        "adjusted": _significant(one.adjusted),
        "better": one.better,
    }


def _association(one: Association) -> dict[str, Any]:
    return {
        "name": one.effect.name,
        "why": one.effect.why,
        "pool": one.pool,
        "stratum": one.stratum,
        "rows": one.rows,
        "right": one.right,
        "base": one.base,
    }


def _finding(one: Finding) -> dict[str, Any]:
    rounded = {"reached": round(one.reached, _DECIMALS), "shuffled": round(one.shuffled, 3)}
    figures = {"p": _significant(one.p), "adjusted": _significant(one.adjusted), "found": one.found}
    return {**asdict(one), **rounded, **figures, "strongest": list(one.strongest)}


def _floor(one: Floor) -> dict[str, Any]:
    intervals = {
        name: [round(end, _DECIMALS) for end in getattr(one, name)] for name in ("mean_interval", "pass_interval")
    }
    return {**asdict(one), **intervals}


def _significant(value: float) -> float:
    """Round to three significant digits: the last bits of a float differ from one machine to another."""
    return float(f"{value:.3g}")
