"""Grades one answer against the truth row: exact fractions, strict reading, a reason for every lost point.

The weights and the cap are those of the task's own description; all arithmetic is exact and rounded once, at the end.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pipeline.families.answers import Unreadable, parse_answer, without_fence
from pipeline.families.base import Grade, Row
from pipeline.families.money import parse_cents

GRADER_VERSION = "1.0.0"
"""Changes when any answer would get another score."""

WEIGHTS = {
    "adjusted_book_balance": 18,
    "adjusted_bank_balance": 18,
    "outstanding_deposit_ids": 14,
    "unpresented_payment_ids": 14,
    "duplicate_invoice_ids": 14,
    "bank_fee_entry_amount": 8,
    "interest_entry_amount": 8,
    "reconciliation_status": 6,
}
"""Hundredths of the score."""

CAP = 75
"""The most, in hundredths, for an answer that says `reconciled` of two balances that it does not report as equal."""

DECIMALS = 6
"""Scores and shares are rounded to so many decimals."""

_BALANCES = ("adjusted_book_balance", "adjusted_bank_balance")
_AMOUNTS = (*_BALANCES, "bank_fee_entry_amount", "interest_entry_amount")
_ID_LISTS = ("outstanding_deposit_ids", "unpresented_payment_ids", "duplicate_invoice_ids")
_STATUS = "reconciliation_status"
_SHOWN = 40  # characters of an answer's own text that a reason repeats

_Share = int | Fraction
_Verdict = tuple[_Share, str]


def grade(truth: Row, answer: str) -> dict[str, Grade]:
    """Grade a raw answer, strictly as it stands (`exact`) and without a code fence around it (`lenient`).

    Args:
        truth: a row of the config `truth`.
        answer: the text as it came.

    Returns:
        The two grades. Their `parts` hold, for each key of the answer, the share of its weight that was earned
        (0 … 1), then `capped`, which tells whether the answer contradicted itself, and `grader_version`.
    """
    exact = _grade_text(truth, answer)
    bare = without_fence(answer)
    return {"exact": exact, "lenient": exact if bare is answer else _grade_text(truth, bare)}


def _grade_text(truth: Row, text: str) -> Grade:
    try:
        answer = parse_answer(text)
        if not isinstance(answer, dict):
            raise Unreadable(f"the answer is {_kind(answer)}, not an object")
    except Unreadable as unreadable:
        return Grade(
            score=0.0, passed=False, error=str(unreadable), parts=_parts(dict.fromkeys(WEIGHTS, 0), capped=False)
        )

    shares: dict[str, _Share] = {}
    reasons: list[str] = []
    points: _Share = 0
    for key, weight in WEIGHTS.items():
        shares[key], reason = _judge(key, truth[key], answer) if key in answer else (0, "missing")
        points += weight * shares[key]
        if reason:
            reasons.append(f"{key}: {reason}")
    capped = _contradicts_itself(answer)
    if capped:
        reasons.append(f"reconciled, but the reported balances are not equal: at most 0.{CAP}")
        points = min(points, CAP)
    return Grade(
        score=_rounded(Fraction(points, 100)),
        passed=points == 100,
        error="; ".join(reasons) or None,
        parts=_parts(shares, capped=capped),
    )


def _judge(key: str, expected: Any, answer: dict[str, Any]) -> _Verdict:
    """Give the share of one component that the answer earned, and why it is not all of it."""
    given = answer[key]
    if key in _AMOUNTS:
        return _judge_amount(expected, given)
    if key in _ID_LISTS:
        return _judge_ids(expected, given)
    # A number is kept as a text of another type, hence `type` and not `isinstance`.
    if type(given) is str and given == expected:
        return 1, ""
    return 0, f"{_shown(given)} is not the status"


def _judge_amount(expected: str, given: Any) -> _Verdict:
    cents = _cents(given)
    if cents is None:
        return 0, f"{_shown(given)} is not an amount with at most two decimals"
    if cents != parse_cents(expected):
        return 0, f"{_shown(given)} is not the amount"
    return 1, ""


def _judge_ids(expected: list[str], given: Any) -> _Verdict:
    if not isinstance(given, list):
        return 0, f"{_kind(given)} is not a list of ids"
    if any(type(one) is not str for one in given):
        return 0, "an element of the list is not a text"
    right, reported = set(expected), set(given)
    if right == reported:
        return 1, ""
    missing, wrong = len(right - reported), len(reported - right)
    return Fraction(len(right & reported), len(right | reported)), f"{missing} missing, {wrong} wrong"


def _contradicts_itself(answer: dict[str, Any]) -> bool:
    """Tell whether the answer says `reconciled` and its own balances are unequal, or one of them is no amount."""
    status = answer.get(_STATUS)
    if type(status) is not str or status != "reconciled":
        return False
    book, bank = (_cents(answer.get(key)) for key in _BALANCES)
    return book is None or book != bank


def _cents(given: Any) -> int | None:
    """Read an amount given as a text or as a number, of which `parse_answer` keeps the text."""
    return parse_cents(given) if isinstance(given, str) else None


def _parts(shares: dict[str, _Share], *, capped: bool) -> dict[str, Any]:
    return {
        **{key: _rounded(share) for key, share in shares.items()},
        "capped": capped,
        "grader_version": GRADER_VERSION,
    }


def _rounded(share: _Share) -> float:
    return float(share if isinstance(share, int) else round(share, DECIMALS))


def _kind(value: Any) -> str:
    """Name the JSON type of a value."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    return "a text" if type(value) is str else "a number"


def _shown(value: Any) -> str:
    """Repeat a value of the answer in one short line, or name its type."""
    if not isinstance(value, str):
        return _kind(value)
    shown = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
    return ascii(shown) if type(value) is str else shown
