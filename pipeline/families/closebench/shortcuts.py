"""Ways to guess what is planted in a world from what an agent sees of it, each an artefact or evidence.

The rules read documents and entries in the order in which the package's ``Session`` prints them, and nothing of the
row's own id, seed or mode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pipeline.families.audit_plan import Nature, Question, Rule, SideEffect
from pipeline.families.base import Item, Row
from pipeline.families.closebench.books import Books, to_cents
from pipeline.families.closebench.books import prefix as about
from pipeline.families.closebench.solve import ABSENCE_KINDS, KINDS

DOCUMENT_KINDS = {
    "SUB": "unrecorded_invoice",
    "AUD": "duplicate_invoice",
    "HW": "capex_expensed",
    "SW": "prepaid_not_deferred",
    "ADV": "revenue_cutoff",
    "AR": "misclassified_expense",
    "IC": "intercompany_mismatch",
    "NW": "fx_revaluation",
    "ML": "depreciation_prorata",
    "QB": "service_span_cutoff",
}
"""What the ids of documents begin with, and the kind that each belongs to, in the order in which the package writes."""

_RANK = {letters: rank for rank, letters in enumerate(DOCUMENT_KINDS)}
_LEAST_LICENCE = 50_000_00
_ENDS_IN_A_DATE = re.compile(r"\d{4}-\d\d-\d\d$")


def questions(item: Item) -> Iterator[Question]:
    """Ask of every kind whether it is planted."""
    planted = {error["kind"] for error in item.truth["errors"]}
    return (Question(kind, "", kind in planted) for kind in KINDS)


def before_the_first_descent(names: Iterable[str]) -> list[str]:
    """Return the kinds that stand before the first break in the order in which the package writes documents.

    The package writes what is planted, kind by kind, and then starts again with the decoys. Where the order never
    breaks there is no telling, and nothing is returned.
    """
    ranks = [_RANK[name] for name in names if name in _RANK]
    kinds = list(DOCUMENT_KINDS.values())
    for place in range(1, len(ranks)):
        if ranks[place] < ranks[place - 1]:
            return [kinds[rank] for rank in dict.fromkeys(ranks[:place])]
    return []


def by_document_order(row: Row) -> list[str]:
    """Guess from the order of the list of documents."""
    return before_the_first_descent(about(document["doc_id"]) for document in row["documents"])


def by_entry_order(row: Row) -> list[str]:
    """Guess from the order of the closing month's journal."""
    return before_the_first_descent(about(entry["ref"]) for entry in _closing(row))


def _closing(row: Row) -> Sequence[Row]:
    start, end = row["period"]["start"], row["period"]["end"]
    return [entry for entry in row["entries"] if start <= entry["date"] <= end]


def _body_lines(row: Row, letters: str) -> Sequence[str]:
    for document in row["documents"]:
        if about(document["doc_id"]) == letters:
            return str(document["body"]).split("\n")
    return ()


def _by_lines(row: Row) -> Iterator[str]:
    """Guess from the shape of three bodies: a line more, or a date at the end of a line that a remark follows else."""
    if len(lines := _body_lines(row, "SUB")) == 4 and _ENDS_IN_A_DATE.search(lines[-1]):
        yield DOCUMENT_KINDS["SUB"]
    if len(_body_lines(row, "AR")) == 3:
        yield DOCUMENT_KINDS["AR"]
    if len(lines := _body_lines(row, "HW")) == 4 and _ENDS_IN_A_DATE.search(lines[-1]):
        yield DOCUMENT_KINDS["HW"]


def _by_meta(row: Row) -> Iterator[str]:
    if any(document["meta"] for document in row["documents"] if about(document["doc_id"]) == "IC"):
        yield DOCUMENT_KINDS["IC"]


def _by_source(row: Row) -> Iterator[str]:
    if any(entry["source"] == "ap" for entry in _closing(row) if about(entry["ref"]) == "HW"):
        yield DOCUMENT_KINDS["HW"]


def _by_suffix(row: Row) -> Iterator[str]:
    if any(entry["ref"].endswith("-R") for entry in _closing(row)):
        yield DOCUMENT_KINDS["AUD"]


def _by_size(row: Row) -> Iterator[str]:
    for entry in _closing(row):
        if about(entry["ref"]) == "SW" and any(to_cents(line["debit"]) >= _LEAST_LICENCE for line in entry["lines"]):
            yield DOCUMENT_KINDS["SW"]


def _wrong(kinds: Sequence[str]) -> Callable[[Row], Iterator[str]]:
    """Guess as the legitimate script does."""

    def guess(row: Row) -> Iterator[str]:
        books = Books(row)
        return (kind for kind in kinds if KINDS[kind].wrong(books))

    return guess


def _rule(name: str, kinds: Iterable[str], nature: Nature, why: str, guess: Callable[[Row], Iterable[str]]) -> Rule:
    return Rule(name, tuple(kinds), nature, why, lambda row: ((kind, "") for kind in guess(row)))


_FACTS = tuple(DOCUMENT_KINDS[name] for name in ("SW", "ADV", "NW", "QB")) + ("unrecorded_bank_fee",)
_MATCHING = tuple(DOCUMENT_KINDS[name] for name in ("SUB", "AUD", "HW", "AR", "IC", "ML"))

RULES = (
    _rule(
        "document order",
        DOCUMENT_KINDS.values(),
        "artefact",
        "The list of documents has what is planted first, kind by kind, and the decoys after it.",
        by_document_order,
    ),
    _rule(
        "entry order",
        (kind for name, kind in DOCUMENT_KINDS.items() if name not in ("SUB", "IC")),  # planted, they have no entry
        "artefact",
        "The entries of the closing month are numbered in the order of planting: errors first, then decoys.",
        by_entry_order,
    ),
    _rule(
        "a line that only one body has",
        (DOCUMENT_KINDS[name] for name in ("SUB", "AR", "HW")),
        "artefact",
        "Certificate date, type of lease and the remark 'not in use' change nothing in what is due, and stand in "
        "planted bodies alone or in decoys alone.",
        _by_lines,
    ),
    _rule(
        "meta of the intercompany e-mail",
        (DOCUMENT_KINDS["IC"],),
        "artefact",
        "Its meta data is filled only where the error is planted.",
        _by_meta,
    ),
    _rule(
        "source of the equipment entry",
        (DOCUMENT_KINDS["HW"],),
        "artefact",
        "The entry comes from accounts payable where the error is planted, and is a manual one where it is not.",
        _by_source,
    ),
    _rule(
        "a ref that ends in -R",
        (DOCUMENT_KINDS["AUD"],),
        "artefact",
        "The second posting is evidence, but its ref has a suffix that no other entry of any world has.",
        _by_suffix,
    ),
    _rule(
        "licence of 50,000 or more",
        (DOCUMENT_KINDS["SW"],),
        "artefact",
        "Planted and decoy licences are drawn from ranges that do not touch.",
        _by_size,
    ),
    _rule(
        "facts in a document",
        _FACTS,
        "evidence",
        "Twelve months, services of next year, a contract beyond the period, two rates, a bank balance that is not the "
        "ledger's: this is what documents are read for.",
        _wrong(_FACTS),
    ),
    _rule(
        "document against ledger",
        _MATCHING,
        "evidence",
        "An amount asked for and not booked, booked twice, booked to another account, or an asset not depreciated is "
        "found by matching documents with entries.",
        _wrong(_MATCHING),
    ),
    _rule(
        "missing month in a series",
        ABSENCE_KINDS,
        "evidence",
        "A gap in a monthly series, or a payroll that releases nothing, is the error itself.",
        _wrong(ABSENCE_KINDS),
    ),
)

SIDE_EFFECTS = (
    SideEffect(
        "number of entries -> number of errors",
        "An error of absence is an entry less, and some decoys are an entry more.",
        lambda row: len(row["entries"]),
        lambda item: len(item.truth["errors"]),
    ),
)
