"""A short legitimate script: reads the books of a public row as an accountant would and posts what is wrong.

It matches documents with the ledger, reads the facts in documents, and looks for the missing month of each series.
It uses no order, no id, no meta data and no range of amounts. What it scores is what doing the accounting is worth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from pipeline.families.base import Row
from pipeline.families.closebench.books import MONTHS, Books, amounts_in

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TWELVE = re.compile(r"(?<![\d.-])12(?![\d.-])")
_TAIL_FROM = 25
"""Salaries are paid on this day; what is left of a month is accrued (POL-01)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error as an accountant knows it.

    Attributes:
        name: as in the truth.
        debit: the account that its fix debits.
        credit: the account that its fix credits.
        wrong: tells from the books whether it is there.
        cents: reads the amount of the fix from the books; where nothing is wrong, what it would be if something were.
    """

    name: str
    debit: str
    credit: str
    wrong: Callable[[Books], bool]
    cents: Callable[[Books], int | None]


def solve(public: Row) -> str:
    """Answer a world: a fix for every kind of error that is in its books."""
    books = Books(public)
    return answer(books, (kind for kind in KINDS.values() if kind.wrong(books)))


def answer(books: Books, kinds: Iterable[Kind]) -> str:
    """Post the fixes of some kinds, with the amounts that the books show, on the last day of the period."""
    found = ((kind, kind.cents(books)) for kind in kinds)
    return json.dumps(
        [
            {
                "date": books.end,
                "memo": kind.name,
                "lines": [
                    {"account": kind.debit, "debit": f"{cents // 100}.{cents % 100:02d}"},
                    {"account": kind.credit, "credit": f"{cents // 100}.{cents % 100:02d}"},
                ],
            }
            for kind, cents in found
            if cents
        ]
    )


def gap_month(books: Books, kind: str) -> int | None:
    """Return the month in which an error of absence lies, by its name; None where the books have no gap."""
    if kind == "accrual_not_released":
        return next(_unreleased(books), None)
    return _missing(books, _SERIES[kind])


_SERIES = {
    "missing_recurring": "SEC",
    "payroll_cutoff": "PRA",
    "depreciation_stopped": "DEP",
    "prepaid_amort_stopped": "INS",
    "inventory_receipt_gap": "STK",
}
"""The letters that the refs of each series begin with."""


def _missing(books: Books, series: str) -> int | None:
    return next((month for month in MONTHS if books.in_month(series, month) is None), None)


def _unreleased(books: Books) -> Iterator[int]:
    """Yield the months whose payroll pays an accrual of the month before as if it were an expense."""
    for month in MONTHS[1:]:
        paid = books.in_month("PR", month)
        if paid and books.in_month("PRA", month - 1) and "2200" not in paid.debits:
            yield month


def _steady(series: str) -> Callable[[Books], int | None]:
    """Read the amount of a series that is the same every month."""

    def cents(books: Books) -> int | None:
        return next((entry.total for month in MONTHS if (entry := books.in_month(series, month))), None)

    return cents


def _accrual(books: Books, month: int) -> int | None:
    first = books.in_month("PR", 1)
    tail = (date(2026, month % 12 + 1, 1) - date(2026, month, 1)).days - _TAIL_FROM
    return first.total // _TAIL_FROM * tail if first else None


def _payroll_accrual(books: Books) -> int | None:
    return _accrual(books, _missing(books, "PRA") or MONTHS[-1])


def _released_late(books: Books) -> int | None:
    return _accrual(books, next(_unreleased(books), MONTHS[-1]) - 1)


def _goods(books: Books) -> int | None:
    return books.cost_of_sales(_missing(books, "STK") or MONTHS[-1])


def _gap(name: str) -> Callable[[Books], bool]:
    return lambda books: gap_month(books, name) is not None


def _unposted(about: str) -> Callable[[Books], bool]:
    """Tell whether a document asks for an amount that no entry of the closing month has."""

    def wrong(books: Books) -> bool:
        amount = books.amount(about)
        return amount is not None and all(entry.total != amount for entry in books.of(about))

    return wrong


def _intercompany(books: Books) -> bool:
    """Tell whether the subsidiary asks for an amount that is not on the intercompany account."""
    amount = books.amount("IC")
    return amount is not None and all(entry.credits.get("2500") != amount for entry in books.closing)


def _debited(about: str, account: str) -> Callable[[Books], bool]:
    return lambda books: any(account in entry.debits for entry in books.of(about))


def _posted_twice(books: Books) -> bool:
    amount = books.amount("AUD")
    alike = [entry for entry in books.closing if entry.debits == {"6300": amount} and entry.credits == {"2000": amount}]
    return len(alike) > 1


def _for_twelve_months(books: Books) -> bool:
    contract = books.document("SW")
    return bool(contract and _TWELVE.search(contract["body"])) and _debited("SW", "6500")(books)


def _for_next_year(books: Books) -> bool:
    contract = books.document("ADV")
    next_year = str(int(books.end[:4]) + 1)
    return bool(contract and next_year in contract["body"]) and any(
        "4000" in entry.credits for entry in books.of("ADV")
    )


def _bank_difference(books: Books) -> int:
    statement = books.amount("BANK")
    return 0 if statement is None else books.balance("1000") - statement


def _revaluation(books: Books) -> int | None:
    """Return euros times the change of the rate, in cents."""
    euros, rates = books.amount("NW"), _rates(books)
    return None if euros is None or not rates else euros * (rates[-1] - rates[0]) // 100


def _rates(books: Books) -> list[int]:
    notice = books.document("FX")
    return amounts_in(notice["body"]) if notice else []


def _open_at_another_rate(books: Books) -> bool:
    settled = any("2000" in entry.debits for entry in books.of("NW"))
    return bool(_revaluation(books)) and not settled


def _depreciation(books: Books) -> int | None:
    """Return the depreciation by days over five years of an asset put into use in the closing month."""
    cost, invoice = books.amount("ML"), books.document("ML")
    if cost is None or invoice is None or not (found := _DATE.findall(invoice["body"])):
        return None
    days = int(books.end[-2:])
    return cost * (days - int(found[-1][-2:]) + 1) // days // 60


def _not_depreciated(books: Books) -> bool:
    return _depreciation(books) is not None and not any("6400" in entry.debits for entry in books.of("ML"))


def _days_of_service(books: Books) -> tuple[int, int]:
    """Return the days of the support contract, and how many of them come after the period."""
    contract = books.document("QB")
    dates = [date.fromisoformat(text) for text in _DATE.findall(contract["body"])[:2]] if contract else []
    if len(dates) < 2:
        return 0, 0
    after = (dates[1] - date.fromisoformat(books.end)).days
    return (dates[1] - dates[0]).days + 1, max(0, after)


def _service_deferred(books: Books) -> int | None:
    days, after = _days_of_service(books)
    cost = books.amount("QB")
    return cost * after // days if days and cost else None


def _crosses_the_end(books: Books) -> bool:
    return _days_of_service(books)[1] > 0 and any("6300" in entry.debits for entry in books.of("QB"))


def _of(about: str) -> Callable[[Books], int | None]:
    return lambda books: books.amount(about)


def _eleven_twelfths(books: Books) -> int | None:
    paid = books.amount("SW")
    return None if paid is None else paid - paid // 1200 * 100


KINDS = {
    kind.name: kind
    for kind in (
        Kind("unrecorded_invoice", "5000", "2000", _unposted("SUB"), _of("SUB")),
        Kind("duplicate_invoice", "2000", "6300", _posted_twice, _of("AUD")),
        Kind("capex_expensed", "1500", "6900", _debited("HW", "6900"), _of("HW")),
        Kind("prepaid_not_deferred", "1300", "6500", _for_twelve_months, _eleven_twelfths),
        Kind("revenue_cutoff", "4000", "2400", _for_next_year, _of("ADV")),
        Kind("unrecorded_bank_fee", "6900", "1000", lambda books: _bank_difference(books) > 0, _bank_difference),
        Kind("misclassified_expense", "6100", "6300", _debited("AR", "6300"), _of("AR")),
        Kind("intercompany_mismatch", "6900", "2500", _intercompany, _of("IC")),
        Kind("missing_recurring", "6600", "2100", _gap("missing_recurring"), _steady("SEC")),
        Kind("fx_revaluation", "6700", "2000", _open_at_another_rate, _revaluation),
        Kind("depreciation_prorata", "6400", "1590", _not_depreciated, _depreciation),
        Kind("service_span_cutoff", "1300", "6300", _crosses_the_end, _service_deferred),
        Kind("payroll_cutoff", "6000", "2200", _gap("payroll_cutoff"), _payroll_accrual),
        Kind("depreciation_stopped", "6400", "1590", _gap("depreciation_stopped"), _steady("DEP")),
        Kind("prepaid_amort_stopped", "6800", "1300", _gap("prepaid_amort_stopped"), _steady("INS")),
        Kind("accrual_not_released", "2200", "6000", _gap("accrual_not_released"), _released_late),
        Kind("inventory_receipt_gap", "1200", "2000", _gap("inventory_receipt_gap"), _goods),
    )
}
"""Every kind by its name, in the order of the package."""

ABSENCE_KINDS = tuple(name for name in KINDS if name in _SERIES or name == "accrual_not_released")
"""The kinds that no document points at."""
