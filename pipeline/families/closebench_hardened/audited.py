"""Everything that is audited in the hardened edition: what holds in any edition, and what this one adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pipeline.families.audit_plan import AuditPlan, Claim
from pipeline.families.base import Item
from pipeline.families.closebench.audited import world_plan
from pipeline.families.closebench.claims import GAP_MONTH, TRUTH_DECIMALS, UNORDERED, WORLD_CLAIMS
from pipeline.families.closebench.package import Package
from pipeline.families.closebench.seed_search import seed_search
from pipeline.families.closebench_hardened.order import ordered_documents, ordered_entries

_MODES = ("hard", "absence")


def _canonical(item: Item) -> Iterator[str]:
    if item.public["documents"] != ordered_documents(item.public["documents"]):
        yield "documents are out of order"
    if item.public["entries"] != ordered_entries(item.public["entries"])[0]:
        yield "entries are out of order, or not numbered from JE00001 on"


def _opaque(item: Item) -> Iterator[str]:
    for key in ("seed", "mode", "key", "draw"):
        if key in item.public:
            yield f"the public row has {key}"


OWN_CLAIMS = (
    Claim("canonical order", "Documents and entries are in canonical order, entries numbered anew.", _canonical),
    Claim("opaque rows", "A public row names neither seed nor mode.", _opaque),
    replace(TRUTH_DECIMALS, binding=True),
    replace(UNORDERED, binding=False),
    replace(GAP_MONTH, binding=False),
)


def hardened_plan(package: Callable[[], Package]) -> AuditPlan:
    """Return what is audited in this edition.

    Args:
        package: gives the generator.
    """
    plan = world_plan(seed_search(package, lambda generator, seed: _MODES))
    return replace(plan, claims=(*WORLD_CLAIMS, *OWN_CLAIMS))
