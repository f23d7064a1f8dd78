"""The free texts of both sides.

They are drawn in the same way for every transaction, say nothing of the sign, and hold the commas, quotes and
apostrophes that a careless CSV reader trips over. The bank writes in capitals and the ledger does not, so that the
two sides never agree; no text begins with a character that a spreadsheet would take for a formula.
"""

from __future__ import annotations

from pipeline.families.keyed_random import KeyedRandom

_PARTIES = (
    "Abbott, Reyes & Lund",
    "Alder Street Dental",
    "Baker's Yard",
    "Bluewater Freight, Inc.",
    'The "Blue Door" Bakery',
    "Calloway Printing",
    "Castellan Insurance",
    "Children's Workshop",
    "Copper Kettle Catering",
    "D'Angelo Imports",
    "Delacroix, Stone and Partners",
    "Eastgate Properties",
    'Ellery "E.J." Marsh Consulting',
    "Fairmont Legal, PLLC",
    "Farrier's Market",
    "Gallagher & Voss",
    "Greenline Energy",
    'Hale "Northside" Garage',
    "Harbour Analytics",
    "Ivers, Quinn & Daughters",
    "Jasper Cloud Hosting",
    'Kestrel "Express" Couriers',
    "King's Landing Storage",
    "L'Atelier Interiors",
    "Larkspur Nurseries",
    "Maddox, Field & Co.",
    "Meridian Telecom",
    "Miller's Crossing Hotel",
    "N'Dour Textiles",
    "Northwind Packaging",
    "O'Brien & Sons",
    "Orchard Lane School",
    'Paper Crane "Studio 4"',
    "Penrose Security, Ltd",
    "Quarry Hill Clinic",
    "Redfern, Okafor & Blythe",
    "Saddler's Rest",
    "Sterling Office Supply",
    'The "Old Mint" Press',
    "Thistle and Vane",
    "Tomlinson, Grey",
    "Umber Design",
    "Vintner's Guild",
    "Westbrook Vehicle Leasing",
    "Yarrow Payroll Services, Inc.",
)

_BANK = (
    "ACH {party} {purpose}",
    "WIRE {party}, {purpose}",
    'TRANSFER "{purpose}" {party}',
    "{party} / {purpose}",
    "{purpose}: {party}",
    "PAYER'S NOTE {purpose}, {party}",
)

_PURPOSES = ("SERVICES", "SUPPLIES", "SETTLEMENT", "PROJECT WORK", "EQUIPMENT", "LICENCES", "FREIGHT", "RENT", "TRAVEL")

_LEDGER = (
    "{party}: {document}",
    "{party}, {document}",
    '{party} "{document}"',
    "Per {document}, {party}",
    "Clerk's posting of {document} ({party})",
    '"{document}" {party}',
)

_DOCUMENTS = ("invoice", "order", "contract", "statement", "remittance")


_DOCUMENT_NUMBERS = 90_000  # 10000 … 99999

_AT_BANK = tuple(
    (party, wording.format(party=party.upper(), purpose=purpose))
    for party in _PARTIES
    for wording in _BANK
    for purpose in _PURPOSES
)
"""Every text that the bank may write, and the party that it is about."""

_CHOICES = len(_AT_BANK) * len(_LEDGER) ** 2 * len(_DOCUMENTS) * _DOCUMENT_NUMBERS


class Topic:
    """Whom and what one transaction is about; both sides describe the same topic in their own words."""

    __slots__ = ("_document", "_party", "_wordings", "at_bank")

    at_bank: str
    """The bank's words."""

    def __init__(self, random: KeyedRandom) -> None:
        # One draw for all the choices, because draws are what generation spends its time on.
        choices, bank = divmod(random.below(_CHOICES), len(_AT_BANK))
        choices, first = divmod(choices, len(_LEDGER))
        choices, second = divmod(choices, len(_LEDGER))
        number, kind = divmod(choices, len(_DOCUMENTS))
        self._party, self.at_bank = _AT_BANK[bank]
        self._wordings = first, second
        self._document = f"{_DOCUMENTS[kind]} {10_000 + number}"

    def in_ledger(self, rows: int) -> list[str]:
        """Return the ledger's words for up to two rows, each in a wording of its own."""
        return [_LEDGER[one].format(party=self._party, document=self._document) for one in self._wordings[:rows]]
