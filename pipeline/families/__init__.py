"""The task families. `FAMILIES` is the one place where they are listed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from pipeline.errors import UsageError
from pipeline.families.base import Family

FAMILIES = (
    "closebench",
    "closebench_hardened",
    "accounting_assistant",
    "reconcile_ledger",
)  # fmt: skip


def get_family(name: str, source: Path | None = None) -> Family:
    """Return a family by its name.

    Args:
        name: one of `FAMILIES`.
        source: a checkout of the family's generator package to use instead of the installed one.

    Raises:
        UsageError: no such family, or `source` given to a family with its own generator.
    """
    if name not in FAMILIES:
        raise UsageError(f"there is no family {name!r}; choose from {', '.join(FAMILIES)}")
    family_class: type[Family] = import_module(f"pipeline.families.{name}").FAMILY
    return family_class(source)
