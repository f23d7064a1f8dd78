"""The rows of one world while they are rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.families.base import Row
from pipeline.families.closebench.package import Package
from pipeline.families.closebench_hardened.wording import TEXTS


@dataclass(frozen=True, slots=True)
class Books:
    """The journal and the documents of one world; rewriting changes them in place.

    Attributes:
        package: the generator, for its texts.
        lang: ``en`` or ``ru``.
        year, month: the closing month.
        end: its last day.
        entries: the journal. An entry made here has no id until `pipeline.families.closebench_hardened.order`.
        documents: the documents by their number.
        planted: the amount of each planted error by its kind, as the package writes it.
    """

    package: Package
    lang: str
    year: int
    month: int
    end: str
    entries: list[Row]
    documents: dict[str, Row]
    planted: dict[str, str]

    @property
    def month_digits(self) -> str:
        """The closing month as document numbers have it, for example 202611."""
        return f"{self.year}{self.month:02d}"

    def day(self, day: int) -> str:
        """Return a day of the closing month."""
        return f"{self.year}-{self.month:02d}-{day:02d}"

    def package_text(self, key: str, **facts: Any) -> str:
        """Fill in one of the package's texts."""
        strings = self.package.world
        text: str = strings.T(self.lang, key, **self._month_facts(), **facts)
        return text

    def own_text(self, key: str, **facts: Any) -> str:
        """Fill in one of this edition's texts."""
        return TEXTS[self.lang][key].format(**self._month_facts(), **facts)

    def _month_facts(self) -> dict[str, Any]:
        month_label = self.package.world.month_label
        return {"y": self.year, "m": self.month, "mon": month_label(self.lang, self.month)}

    def entries_of(self, ref: str) -> list[Row]:
        """Return the entries with a reference, in the order in which the package posted them."""
        return [entry for entry in self.entries if entry["ref"] == ref]

    def amount_of(self, doc_id: str) -> int:
        """Return the total of a document, in whole units."""
        return int(self.documents[doc_id]["meta"]["amount"].removesuffix(".00"))

    def post(self, day: int, memo: str, accounts: tuple[str, str], amount: int, source: str, ref: str) -> None:
        """Add an entry of two lines in the closing month.

        Args:
            day: day of the month.
            memo: the memo.
            accounts: the account to debit and the one to credit.
            amount: in whole units.
            source: the book.
            ref: the document's number.
        """
        lines = [
            {"account": accounts[0], "debit": f"{amount}.00", "credit": "0.00"},
            {"account": accounts[1], "debit": "0.00", "credit": f"{amount}.00"},
        ]
        entry = {"eid": "", "date": self.day(day), "memo": memo, "source": source, "ref": ref, "lines": lines}
        self.entries.append(entry)

    def file(self, doc_id: str, kind: str, day: int, title: str, body: str, meta: Row) -> None:
        """Add a document dated in the closing month."""
        document = {"doc_id": doc_id, "kind": kind, "date": self.day(day), "title": title, "body": body, "meta": meta}
        self.documents[doc_id] = document


def set_amount(entry: Row, amount: int) -> None:
    """Change the amount of an entry of two lines, in whole units."""
    for line in entry["lines"]:
        side = "credit" if line["debit"] == "0.00" else "debit"
        line[side] = f"{amount}.00"


def cash(entries: list[Row]) -> int:
    """Return the balance of the account 1000 over all entries, in cents."""
    lines = [line for entry in entries for line in entry["lines"] if line["account"] == "1000"]
    return sum(int(line["debit"].replace(".", "")) - int(line["credit"].replace(".", "")) for line in lines)
