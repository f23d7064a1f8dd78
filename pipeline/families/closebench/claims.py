"""What is said of the worlds, as checks: invariants of any edition, and the statements of the published card."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.families.audit_plan import Claim, TotalClaim
from pipeline.families.base import Grade, Item
from pipeline.families.closebench.adjustments import oracle_answer
from pipeline.families.closebench.books import Books, prefix
from pipeline.families.closebench.shortcuts import DOCUMENT_KINDS, by_document_order
from pipeline.families.closebench.solve import ABSENCE_KINDS, KINDS, gap_month

Errors = Sequence[Mapping[str, Any]]

_ACCOUNTS = 26
_ACCOUNT_TYPES = {"asset", "liability", "equity", "income", "expense"}
_DOCUMENT_KINDS = {"vendor_invoice", "contract", "email", "bank_statement", "policy"}
_PLAIN = Counter([*DOCUMENT_KINDS, "FX", "POL", "BANK", *["UTIL"] * 11])
_DISTRACTORS = Counter({"CS": 2, "PT": 1})
_DOCUMENTS = {"hard": range(27, 28), "absence": range(24, 25)}
_ENTRIES = {"hard": range(143, 151), "absence": range(141, 145)}
_ERRORS = {"hard": range(6, 10), "absence": range(4, 7)}
_ERRORS_IN_ALL = {"hard": 376, "absence": 250}
_WORLDS = 50
_CASH, _INVENTORY = "1000", "1200"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEDGER_AMOUNT = re.compile(r"\d+\.\d\d")
_TRUTH_AMOUNT = re.compile(r"\d+(\.\d+)?")
_KIND_TABLE = dict(
    prepaid_amort_stopped=68,
    accrual_not_released=64,
    missing_recurring=62,
    depreciation_stopped=62,
    inventory_receipt_gap=62,
    payroll_cutoff=61,
    revenue_cutoff=29,
    capex_expensed=26,
    service_span_cutoff=25,
    depreciation_prorata=25,
    prepaid_not_deferred=24,
    duplicate_invoice=22,
    unrecorded_invoice=21,
    unrecorded_bank_fee=21,
    intercompany_mismatch=21,
    fx_revaluation=18,
    misclassified_expense=15,
)


def mode(item: Item) -> str:
    """Return the difficulty of a world, which only the truth row must have."""
    return str(item.truth["mode"])


def _errors(item: Item) -> Errors:
    errors: Errors = item.truth["errors"]
    return errors


def _chart(item: Item) -> Iterator[str]:
    accounts = item.public["accounts"]
    if len({account["code"] for account in accounts}) != _ACCOUNTS:
        yield f"{len(accounts)} accounts"
    for account in accounts:
        if account["type"] not in _ACCOUNT_TYPES:
            yield f"account {account['code']} is of type {account['type']}"


def _period(item: Item) -> Iterator[str]:
    if item.public["period"] != {"start": "2026-11-01", "end": "2026-11-30"}:
        yield f"the period is {item.public['period']}"
    for entry in item.public["entries"]:
        if not "2026-01-01" <= entry["date"] <= "2026-11-30":
            yield f"{entry['eid']} is dated {entry['date']}"


def _ids(item: Item) -> Iterator[str]:
    names = [entry["eid"] for entry in item.public["entries"]]
    names += [document["doc_id"] for document in item.public["documents"]]
    for name, uses in Counter(names).items():
        if uses > 1:
            yield f"{name} stands {uses} times"


def _balanced(item: Item) -> Iterator[str]:
    for entry in Books(item.public).entries:
        if entry.total != sum(entry.credits.values()):
            yield f"{entry.eid} does not balance"


def _ledger_decimals(item: Item) -> Iterator[str]:
    for entry in item.public["entries"]:
        for line in entry["lines"]:
            for amount in (line["debit"], line["credit"]):
                if not _LEDGER_AMOUNT.fullmatch(amount):
                    yield f"{entry['eid']} has the amount {amount}"


def _movements(item: Item) -> Mapping[str, Counter[str]]:
    """Return debits less credits by account, by date in rising order."""
    by_date: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for entry in Books(item.public).entries:
        by_date[entry.date].update(entry.debits)
        by_date[entry.date].subtract(entry.credits)
    return dict(sorted(by_date.items()))


def _trial_balance(item: Item) -> Iterator[str]:
    total = 0
    for day, movements in _movements(item).items():
        total += sum(movements.values())
        if total:
            yield f"on {day} debits and credits differ by {total / 100:.2f}"


def _never_negative(account: str) -> Callable[[Item], Iterator[str]]:
    def check(item: Item) -> Iterator[str]:
        balance = 0
        for day, movements in _movements(item).items():
            balance += movements[account]
            if balance < 0:
                yield f"at the end of {day} account {account} is {balance / 100:.2f}"

    return check


def _documents(item: Item) -> Iterator[str]:
    for document in item.public["documents"]:
        if document["kind"] not in _DOCUMENT_KINDS:
            yield f"{document['doc_id']} is of kind {document['kind']}"
        if not all(isinstance(value, str) for value in document["meta"].values()):
            yield f"meta of {document['doc_id']} is not flat"


def _inventory_of_documents(item: Item) -> Iterator[str]:
    found = Counter(prefix(document["doc_id"]) for document in item.public["documents"])
    expected = _PLAIN + _DISTRACTORS if set(found) & set(_DISTRACTORS) else _PLAIN
    for letters in sorted((found - expected) | (expected - found)):
        yield f"{found[letters]} documents {letters} and not {expected[letters]}"


def _truth_shape(item: Item) -> Iterator[str]:
    numbers = {kind: f"E{number}" for number, kind in enumerate(KINDS, 1)}
    eids = {entry["eid"] for entry in item.public["entries"]}
    for error in _errors(item):
        kind, fix = KINDS[error["kind"]], error["fix"]
        if error["err_id"] != numbers[kind.name]:
            yield f"{kind.name} has the id {error['err_id']}"
        if (fix["debit_account"], fix["credit_account"]) != (kind.debit, kind.credit):
            yield f"{kind.name} is fixed by {fix['debit_account']} against {fix['credit_account']}"
        if fix["period"] != list(item.public["period"].values()):
            yield f"{kind.name} is to be fixed within {fix['period']}"
        for eid in set(error["entry_ids"]) - eids:
            yield f"{kind.name} names the entry {eid}, which does not exist"


def _truth_amounts(item: Item) -> Iterator[str]:
    for error in _errors(item):
        if not _TRUTH_AMOUNT.fullmatch(error["amount"]) or error["amount"] != error["fix"]["amount"]:
            yield f"{error['err_id']} has the amounts {error['amount']} and {error['fix']['amount']}"


def _truth_decimals(item: Item) -> Iterator[str]:
    for error in _errors(item):
        if not _LEDGER_AMOUNT.fullmatch(error["amount"]):
            yield f"{error['err_id']} has the amount {error['amount']}"


def _cents(error: Mapping[str, Any]) -> int:
    units, _, decimals = error["amount"].partition(".")
    return int(units) * 100 + int(decimals.ljust(2, "0")[:2])


def _has_effect(item: Item) -> Iterator[str]:
    for error in _errors(item):
        if not _cents(error):
            yield f"{error['err_id']} {error['kind']} has the amount {error['amount']}: nothing is wrong in the books"


def _in_the_books(item: Item) -> Iterator[str]:
    books = Books(item.public)
    planted = {error["kind"]: _cents(error) for error in _errors(item) if _cents(error)}
    shown = {kind.name: kind.cents(books) for kind in KINDS.values() if kind.wrong(books)}
    for name in KINDS:
        if planted.get(name) != shown.get(name):
            yield f"{name}: planted {planted.get(name)}, in the books {shown.get(name)} (cents)"


def _unique(ordered: bool) -> Callable[[Item], Iterator[str]]:
    def check(item: Item) -> Iterator[str]:
        seen: dict[tuple[tuple[str, ...], int], str] = {}
        for error in _errors(item):
            pair = (error["fix"]["debit_account"], error["fix"]["credit_account"])
            key = (pair if ordered else tuple(sorted(pair)), _cents(error))
            if key in seen:
                yield f"{seen[key]} and {error['err_id']} share {' and '.join(key[0])} and {key[1] / 100:.2f}"
            seen[key] = error["err_id"]

    return check


def _gap_before_closing(item: Item) -> Iterator[str]:
    closing = int(item.public["period"]["start"][5:7])
    for error, month in _gaps(item):
        if month == closing:
            yield f"{error['err_id']} {error['kind']} lies in month {month}"


def _gap_in_range(item: Item) -> Iterator[str]:
    for error, month in _gaps(item):
        if month < (5 if error["kind"] == "inventory_receipt_gap" else 2):
            yield f"{error['err_id']} {error['kind']} lies in month {month}"


def _gaps(item: Item) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield each error of absence with its month, which an error without an effect has not in the books."""
    books = Books(item.public)
    for error in _errors(item):
        if error["kind"] in ABSENCE_KINDS and (month := gap_month(books, error["kind"]) or _told_month(error)):
            yield error, month


def _told_month(error: Mapping[str, Any]) -> int | None:
    found = re.search(r"\b(\w{3}|\d\d)[ .]20\d\d", error["description"])
    if not found:
        return None
    return int(found[1]) if found[1].isdigit() else _MONTHS.index(found[1]) + 1


WORLD_CLAIMS = (
    Claim("chart of accounts", "26 accounts of five types.", _chart),
    Claim("period", "The period is November 2026; entries run from January to November.", _period),
    Claim("ids", "No id of an entry or a document stands twice in a world.", _ids),
    Claim("entries balance", "Debits equal credits in every entry.", _balanced),
    Claim("ledger decimals", "Ledger amounts are strings with two decimals.", _ledger_decimals),
    Claim("trial balance", "The trial balance balances at every date.", _trial_balance),
    Claim("cash", "Cash is never negative at the end of a day.", _never_negative(_CASH)),
    Claim("inventory", "Inventory is never negative at the end of a day.", _never_negative(_INVENTORY)),
    Claim("documents", "Documents are of five kinds; meta is flat text.", _documents),
    Claim("decoys", "The documents that there are do not depend on what is planted.", _inventory_of_documents),
    Claim("truth", "Ids, accounts, periods and entries of the truth are what its kinds say.", _truth_shape),
    Claim("truth amounts", "Amounts of the truth are decimal strings.", _truth_amounts),
    Claim("effect", "Every planted error has an effect in the books.", _has_effect),
    Claim("evidence", "The books show every error that has an effect, its amount, and no other.", _in_the_books),
    Claim("pair and amount, ordered", "No two errors share debit, credit and amount.", _unique(ordered=True)),
)
"""Invariants of any edition."""

UNORDERED = Claim(
    "pair and amount, unordered", "No two errors share a pair of accounts and an amount.", _unique(ordered=False)
)
GAP_MONTH = Claim("gap month", "The gap of an error of absence is not in the closing month.", _gap_before_closing)
TRUTH_DECIMALS = Claim(
    "truth decimals",
    "Amounts of the truth have two decimals, as a reader might assume.",
    _truth_decimals,
    binding=False,
)


def _mode_of_seed(item: Item) -> Iterator[str]:
    if (item.public["mode"] == "absence") != (item.public["seed"] >= 1000):
        yield f"seed {item.public['seed']} is {item.public['mode']}"


def _within(counts: Mapping[str, range], what: str, count: Callable[[Item], int]) -> Callable[[Item], Iterator[str]]:
    def check(item: Item) -> Iterator[str]:
        if count(item) not in counts[mode(item)]:
            yield f"{count(item)} {what}"

    return check


def _order_reveals(item: Item) -> Iterator[str]:
    named = set(by_document_order(item.public))
    if named and named <= {error["kind"] for error in _errors(item)}:
        yield f"the order of documents names {len(named)} planted errors and nothing else"


CARD_CLAIMS = (
    Claim("mode", "Worlds of seeds from 1000 on are absence worlds.", _mode_of_seed),
    Claim(
        "documents a world",
        "27 documents in hard worlds, 24 in absence worlds.",
        _within(_DOCUMENTS, "documents", lambda item: len(item.public["documents"])),
    ),
    Claim(
        "entries a world",
        "143-150 entries in hard worlds, 141-144 in absence worlds.",
        _within(_ENTRIES, "entries", lambda item: len(item.public["entries"])),
    ),
    Claim(
        "errors a world",
        "6-9 errors in hard worlds, 4-6 in absence worlds.",
        _within(_ERRORS, "errors", lambda item: len(_errors(item))),
    ),
    UNORDERED,
    GAP_MONTH,
    Claim("gap range", "Gaps are in months 2 to 11, that of goods received in 5 to 11.", _gap_in_range),
    TRUTH_DECIMALS,
    Claim("nothing revealed", "Nothing in a world reveals which errors were planted.", _order_reveals),
)
"""What the published card says of single rows, beyond the invariants; of it, `mode` reads the public seed."""


def grading_claims(published: Callable[[Item, str], Grade]) -> tuple[Claim, ...]:
    """Return what the published card says of its grader, as claims about every row.

    Args:
        published: grades an answer as the package does.
    """

    def outside(item: Item) -> Iterator[str]:
        grade = published(item, _oracle_and(item, [_entry("2026-10-31", [("6900", "1000", "1.00")])]))
        if grade.score < 1:
            yield f"an entry of October beside all fixes makes the score {grade.score}"

    def compound(item: Item) -> Iterator[str]:
        fixes = [error["fix"] for error in _errors(item)]
        lines = [(fix["debit_account"], fix["credit_account"], fix["amount"]) for fix in fixes]
        parts = published(item, json.dumps([_entry(fixes[0]["period"][1], lines)])).parts
        if parts["found"] or not parts["spurious_entries"]:
            found, spurious = len(parts["found"]), len(parts["spurious_entries"])
            yield f"one entry with all fixes is found {found} times, with {spurious} spurious entries"

    def distractor(item: Item) -> Iterator[str]:
        for entry in Books(item.public).closing:
            if entry.prefix in _DISTRACTORS:
                (debit,), (credit,) = entry.debits, entry.credits
                back = (credit, debit, f"{entry.total // 100}.00")
                if published(item, _oracle_and(item, [_entry(item.public["period"]["end"], [back])])).score >= 1:
                    yield f"taking {entry.ref} back costs nothing"

    return (
        Claim("outside the period", "Adjustments dated outside the period are ignored.", outside),
        Claim("compound entry", "A compound entry scores as missed plus spurious.", compound),
        Claim("distractors", "Correcting a distractor costs points.", distractor),
    )


def _entry(date: str, pairs: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    lines = [
        line
        for debit, credit, amount in pairs
        for line in ({"account": debit, "debit": amount}, {"account": credit, "credit": amount})
    ]
    return {"date": date, "memo": "", "lines": lines}


def _oracle_and(item: Item, entries: list[dict[str, Any]]) -> str:
    return json.dumps(json.loads(oracle_answer(item.truth, with_void=True)) + entries)


def _error_totals(items: Sequence[Item]) -> Iterator[str]:
    found, worlds = Counter[str](), Counter(map(mode, items))
    for item in items:
        found[mode(item)] += len(_errors(item))
    for name, total in _ERRORS_IN_ALL.items():
        if (worlds[name], found[name]) != (_WORLDS, total):
            yield f"{worlds[name]} {name} worlds with {found[name]} errors"


def _kind_totals(items: Sequence[Item]) -> Iterator[str]:
    found = Counter(error["kind"] for item in items for error in _errors(item))
    for kind, total in _KIND_TABLE.items():
        if found[kind] != total:
            yield f"{kind} is in {found[kind]} worlds and not in {total}"


def example_claim(published: Callable[[Item, str], Grade]) -> TotalClaim:
    """Return the example of the published card as a claim about seed 1."""

    def check(items: Sequence[Item]) -> Iterator[str]:
        first = next(item for item in items if item.public["seed"] == 1)
        grade = published(first, json.dumps([_entry("2026-11-30", [("1500", "6900", "85000.00")])]))
        parts = grade.parts
        got = (grade.passed, grade.score, parts["found"], parts["missed"], parts["spurious_entries"])
        if got != (False, 0.143, ["E3"], ["E2", "E8", "E9", "E12", "E13", "E14"], []):
            yield f"the example gives {got}"

    return TotalClaim("example", "The card's example on seed 1 prints what the card says.", check)


CARD_TOTALS = (
    TotalClaim("errors in all", "50 hard worlds with 376 errors, 50 absence worlds with 250.", _error_totals),
    TotalClaim("kinds", "Each kind is in as many worlds as the card's table says.", _kind_totals),
)
