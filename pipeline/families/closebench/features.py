"""The form of a world, for the probe: what it looks like, and nothing of what it says.

The features are those of a fixed list: the rank of each document and entry, the digits of ids, the shape of refs,
`source`, the set of `meta` keys, line count and the text before ``:`` of each body line, leading digit and magnitude
of each amount. They are encoded so that what an accountant may use is not among them:

- A rank is the distance from the place that date and ref would give. A plain rank counts the entries before it, and
  a missing month would shift all that follow: that is evidence.
- What a world does not have is left out, and the probe learns nothing from that: whether an entry exists is evidence.
- An amount is that of a document, of the entries about it, or of the first month of a series: the later months differ
  where an accrual or a receipt is missing.
- Accounts, dates, and texts that are no labels are not read.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pipeline.families.audit_plan import Feature, Subject
from pipeline.families.base import Row
from pipeline.families.closebench.books import Books, amounts_in, prefix, to_cents

_LONGEST_LABEL = 40


def subjects(row: Row) -> Iterator[Subject]:
    """Describe a world as one subject."""
    books = Books(row)
    yield Subject("", {**dict(_of_documents(books)), **dict(_of_entries(books))})


def _of_documents(books: Books) -> Iterator[tuple[str, Feature]]:
    keys = [(document["date"], document["doc_id"]) for document in books.documents]
    canonical = {place: rank for rank, place in enumerate(sorted(range(len(keys)), key=keys.__getitem__))}
    seen: Counter[str] = Counter()
    for place, document in enumerate(books.documents):
        letters = prefix(document["doc_id"])
        name = f"document {letters}{seen[letters] or ''}"
        seen[letters] += 1
        yield f"{name}: rank", place - canonical[place]
        yield from _of_digits(f"{name}: id", document["doc_id"])
        yield f"{name}: keys of meta", frozenset([" ".join(sorted(document["meta"]))])
        lines = document["body"].split("\n")
        yield f"{name}: lines", len(lines)
        yield f"{name}: labels", frozenset(map(_label, lines)) - {""}
        yield from _of_amount(f"{name}: amount", _document_amount(document))


def _document_amount(document: Mapping[str, object]) -> int | None:
    """Return the amount in the meta data, or the first one in the body: later ones may be rates or fees.

    A bank balance is none: it sums up the books, and what is missing there is missing in it.
    """
    if document["kind"] == "bank_statement":
        return None
    meta = document["meta"]
    assert isinstance(meta, Mapping)
    for key in ("amount", "amount_eur"):
        if key in meta:
            return to_cents(meta[key])
    found = amounts_in(str(document["body"]))
    return found[0] if found else None


def _label(line: str) -> str:
    before, colon, _ = line.partition(":")
    return _digits_as_nines(before)[:_LONGEST_LABEL] if colon else ""


def _of_entries(books: Books) -> Iterator[tuple[str, Feature]]:
    keys = [_canonical_key(entry) for entry in books.row["entries"]]
    canonical = {place: rank for rank, place in enumerate(sorted(range(len(keys)), key=keys.__getitem__))}
    documents = {document["doc_id"] for document in books.documents}
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, entry in enumerate(books.entries):
        places[entry.prefix or f"without ref {'|'.join(sorted(entry.debits))}"].append(place)
    for letters, where in places.items():
        name = f"entry {letters}"
        entries = [books.entries[place] for place in where]
        first = min(entries, key=lambda entry: entry.date)
        yield f"{name}: rank", sum(place - canonical[place] for place in where) / len(where)
        yield f"{name}: id less place", sum(_number(books.entries[place].eid) - place for place in where) / len(where)
        yield f"{name}: source", frozenset([first.source])
        yield from _of_digits(f"{name}: ref", first.ref)
        yield from _of_amount(f"{name}: amount", first.total)
    # A ref that is the id of a document says no more than that the document was booked.
    yield (
        "shapes of refs",
        frozenset(_digits_as_nines(entry.ref) for entry in books.entries if entry.ref not in documents),
    )


def _canonical_key(entry: Row) -> tuple[str, str, Sequence[tuple[str, str, str]]]:
    return entry["date"], entry["ref"], [(line["account"], line["debit"], line["credit"]) for line in entry["lines"]]


def _of_amount(name: str, cents: int | None) -> Iterator[tuple[str, Feature]]:
    if cents:
        yield f"{name}, leading digit", float(str(cents)[0])
        yield f"{name}, magnitude", math.log10(cents)


def _of_digits(name: str, text: str) -> Iterator[tuple[str, Feature]]:
    for place, digit in enumerate(_digits(text), 1):
        yield f"{name}, digit {place}", float(digit)


def _digits(name: str) -> str:
    return re.sub(r"\D", "", name)


def _number(name: str) -> int:
    return int(_digits(name) or 0)


def _digits_as_nines(text: str) -> str:
    return re.sub(r"\d+", "9", text)
