"""The amounts that this edition draws itself, all of them in every world, whatever is planted there.

Ranges are those that the package plants errors from (source: ``closebench.world``, methods ``_e_*``), so that a
decoy's amount says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.families.keyed_random import KeyedRandom

_AUDIT_MEMOS = ("memo.aud.terse", "memo.aud.terse2")


@dataclass(frozen=True, slots=True)
class Draws:
    """The draws of one world. Amounts are in whole units.

    Attributes:
        capital: what the founder pays in, to the last unit: else the size of the bank balance, and whether it is a
            round number, would tell which payments are missing.
        licence: price of a software licence that was accounted for correctly.
        bank_fee: a fee that was recorded.
        intercompany: a service of the subsidiary that was recorded.
        rate_rise: by how many hundredths the euro rises when nothing is owed in euros.
        audit_memos: which of the two wordings the first posting of the audit invoice has, and which the second.
        cleaning: the invoice that comes twice a month, where the package writes none.
        consumables: the invoice below the capitalisation threshold, likewise.
    """

    capital: int
    licence: int
    bank_fee: int
    intercompany: int
    rate_rise: int
    audit_memos: tuple[str, str]
    cleaning: int
    consumables: int


def draw(mode: str, text: str) -> Draws:
    """Make the draws of one world, the same in both languages."""
    random = KeyedRandom("closebench_hardened", mode, text)

    def amount(low: int, end: int, step: int) -> int:
        return low + step * random.below(len(range(low, end, step)))

    return Draws(
        capital=amount(2_500_000, 7_500_000, 1),
        licence=amount(60_000, 180_000, 12_000),
        bank_fee=amount(1_500, 9_000, 50),
        intercompany=amount(30_000, 95_000, 1_000),
        rate_rise=amount(150, 450, 1),
        audit_memos=_AUDIT_MEMOS if random.chance(1, 2) else _AUDIT_MEMOS[::-1],
        cleaning=amount(9_000, 18_000, 500),
        consumables=amount(60_000, 110_000, 5_000),
    )
