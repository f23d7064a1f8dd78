"""The grader of accounting_assistant: every rule and edge case of its scoring."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from pipeline.families.accounting_assistant.grade import GRADER_VERSION, WEIGHTS, grade
from pipeline.families.base import Grade

TRUTH: dict[str, Any] = {
    "id": "acct-1",
    "seed": 1,
    "split": "train",
    "adjusted_book_balance": "1250.50",
    "adjusted_bank_balance": "1250.50",
    "outstanding_deposit_ids": ["GL-02", "GL-05", "GL-07"],
    "unpresented_payment_ids": ["GL-03"],
    "duplicate_invoice_ids": [],
    "bank_fee_entry_amount": "5.00",
    "interest_entry_amount": "0.00",
    "reconciliation_status": "reconciled",
}
ANSWER = {key: TRUTH[key] for key in WEIGHTS}


def exact(answer: Any, truth: dict[str, Any] = TRUTH) -> Grade:
    """Grade strictly; anything but a text is written as JSON first."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return grade(truth, text)["exact"]


def literal(key: str, value: str) -> str:
    """Write the right answer with the JSON text of one value replaced."""
    return "{" + ",".join(f'"{k}":{value if k == key else json.dumps(v)}' for k, v in ANSWER.items()) + "}"


def test_the_right_answer() -> None:
    result = exact(ANSWER)
    assert (result.score, result.passed, result.error) == (1.0, True, None)
    assert result.parts == {**dict.fromkeys(WEIGHTS, 1.0), "capped": False, "grader_version": GRADER_VERSION}


def test_the_weights_are_those_of_the_seed() -> None:
    assert WEIGHTS == {
        "adjusted_book_balance": 18,
        "adjusted_bank_balance": 18,
        "outstanding_deposit_ids": 14,
        "unpresented_payment_ids": 14,
        "duplicate_invoice_ids": 14,
        "bank_fee_entry_amount": 8,
        "interest_entry_amount": 8,
        "reconciliation_status": 6,
    }


@pytest.mark.parametrize(
    ("key", "score"),
    [
        ("adjusted_book_balance", 0.75),  # and the cap: one balance is no amount
        ("adjusted_bank_balance", 0.75),
        ("outstanding_deposit_ids", 0.86),
        ("unpresented_payment_ids", 0.86),
        ("duplicate_invoice_ids", 0.86),  # missing is not empty, even where nothing is expected
        ("bank_fee_entry_amount", 0.92),
        ("interest_entry_amount", 0.92),
        ("reconciliation_status", 0.94),
    ],
)
def test_a_missing_key_loses_its_weight(key: str, score: float) -> None:
    result = exact({k: v for k, v in ANSWER.items() if k != key})
    assert (result.score, result.passed, result.parts[key]) == (score, False, 0.0)
    assert result.error is not None
    assert f"{key}: missing" in result.error


def test_extra_keys_are_ignored() -> None:
    assert exact({"thoughts": [1, {"a": None}], **ANSWER, "id": 5}).passed


# The whole text is one JSON object


RIGHT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "null",
        "true",
        "5",
        '"text"',
        "[]",
        f"[{RIGHT}]",
        json.dumps(RIGHT),
        f"```json\n{RIGHT}\n```",
        f"```\n{RIGHT}\n```",
        f"Here it is: {RIGHT}",
        f"{RIGHT} Done.",
        f"{RIGHT}{RIGHT}",
        f"{RIGHT}\n{RIGHT}",
        f"{RIGHT},",
        "\ufeff" + RIGHT,
        RIGHT + "\ufeff",
        RIGHT[:-1],
        RIGHT[:-1] + ",}",
        RIGHT[:-1] + ',"reconciliation_status":"reconciled"}',
        RIGHT[:-1] + ',"more":{"a":1,"a":1}}',
        RIGHT[:-1] + ',"more":NaN}',
        RIGHT[:-1] + ',"more":Infinity}',
        RIGHT[:-1] + ',"more":[-Infinity]}',
        RIGHT[:-1] + ',"more":"' + "x" * 200_000 + '"}',
        RIGHT + " " * 200_000,
        RIGHT[:-1] + ',"more":"' + "é" * 100_000 + '"}',
        RIGHT[:-1] + ',"more":' + "[" * 90_000 + "]" * 90_000 + "}",
        RIGHT[:-1] + ',"more":' + "[" * 200 + "]" * 200 + "}",
        RIGHT[:-1] + ',"more":' + "1" * 5_000 + "}",
        RIGHT[:-1] + ',"more":01}',
        RIGHT[:-1] + ',"more":"\x01"}',
        RIGHT.replace('"', "'"),
        "\x00",
        "\ud800",
    ],
)
def test_anything_but_one_object_scores_nothing(text: str) -> None:
    result = exact(text)
    assert (result.score, result.passed) == (0.0, False)
    assert result.parts == {**dict.fromkeys(WEIGHTS, 0.0), "capped": False, "grader_version": GRADER_VERSION}
    assert result.error
    assert "\n" not in result.error
    assert len(result.error) < 200


@pytest.mark.parametrize(
    "text", [f" \t\r\n{RIGHT}\n\n", json.dumps(ANSWER, indent=2), RIGHT.replace("recon", "\\u0072econ")]
)
def test_white_space_and_escapes_are_json(text: str) -> None:
    assert exact(text).passed


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (f"```json\n{RIGHT}\n```", 1.0),
        (f"```\n{RIGHT}\n```", 1.0),
        (f"\n```JSON\r\n{RIGHT}\r\n```\n", 1.0),
        (RIGHT, 1.0),
        (f"Answer:\n```json\n{RIGHT}\n```", 0.0),
        (f"```json\n{RIGHT}\n```\nDone.", 0.0),
        (f"```json\n```json\n{RIGHT}\n```\n```", 0.0),
        (f"```json\n{RIGHT}", 0.0),
        (f"`{RIGHT}`", 0.0),
        ("```json\n{}\n```", 0.0),
    ],
)
def test_the_lenient_score_takes_one_fence_off_the_whole_answer(text: str, score: float) -> None:
    grades = grade(TRUTH, text)
    assert list(grades) == ["exact", "lenient"]
    assert grades["lenient"].score == score
    assert grades["lenient"].passed == (score == 1)
    assert grades["exact"].score == (1.0 if text == RIGHT else 0.0)


# Money


@pytest.mark.parametrize("text", ['"5"', '"5.0"', '"5.00"', "5", "5.0", "5.00"])
def test_amounts_that_count(text: str) -> None:
    assert exact(literal("bank_fee_entry_amount", text)).passed


@pytest.mark.parametrize("text", ['"0"', '"0.0"', '"-0.00"', '"-0"', "0", "-0", "-0.0", "0.00"])
def test_zero_has_no_sign(text: str) -> None:
    assert exact(literal("interest_entry_amount", text)).passed


def test_one_decimal_is_tenths() -> None:
    truth = {**TRUTH, "bank_fee_entry_amount": "5.10"}
    assert exact(literal("bank_fee_entry_amount", "5.1"), truth).passed
    assert not exact(literal("bank_fee_entry_amount", "5.01"), truth).passed


@pytest.mark.parametrize(
    "text",
    [
        *("true", "false", "null", "[]", "{}", '["5.00"]', '""', '"five"'),
        *('"5.000"', "5.000", '"12.345"', "12.345", "5.001", "4.999"),
        *("1e3", "5e0", "5E0", "500e-2", '"5e0"', "5.00e0", "1e999"),
        *('"+5"', '"+1"', '"1,000.00"', '"5,00"', '"$5"', '"5 USD"', '"(5.00)"'),
        *('" 5"', '"5 "', '"5.00\\n"', '"05"', '"05.00"', '".5"', '"5."', '"--5"', '"5.-1"'),
        *('"\u0665"', '"\uff15"', '"\u096b.00"', '"\u22125"', '"5\u00a0"', '"\\u00005"'),
        *('"5.01"', "6", "-5", '"-5.00"', '"5000000000000000.00"', "1" * 4_000),
        *('"0x5"', '"5_0"', '"nan"', '"NaN"', '"inf"', '"Infinity"'),
    ],
)
def test_amounts_that_do_not_count(text: str) -> None:
    result = exact(literal("bank_fee_entry_amount", text))
    assert (result.score, result.passed, result.parts["bank_fee_entry_amount"]) == (0.92, False, 0.0)
    assert result.error is not None
    assert result.error.startswith("bank_fee_entry_amount: ")
    assert "\n" not in result.error
    assert len(result.error) < 160


def test_fifteen_digits_count_and_sixteen_do_not() -> None:
    truth = {**TRUTH, "bank_fee_entry_amount": "999999999999999.99"}
    assert exact({**ANSWER, "bank_fee_entry_amount": "999999999999999.99"}, truth).passed
    assert not exact({**ANSWER, "bank_fee_entry_amount": "1999999999999999.99"}, truth).passed


# Lists of ids


@pytest.mark.parametrize(
    ("ids", "share"),
    [
        (["GL-02", "GL-05", "GL-07"], 1.0),
        (["GL-02", "GL-05", "GL-07", "GL-07", "GL-02"], 1.0),
        (["GL-02", "GL-05"], 0.666667),
        (["GL-02"], 0.333333),
        (["GL-02", "GL-05", "GL-07", "GL-01"], 0.75),
        (["GL-02", "GL-01"], 0.25),
        (["GL-01"], 0.0),
        ([], 0.0),
        (["gl-02", "GL-05 ", "GL-7"], 0.0),
        (["GL-02", "GL-05", "GL-07", ""], 0.75),
    ],
)
def test_lists_earn_intersection_over_union(ids: list[str], share: float) -> None:
    result = exact({**ANSWER, "outstanding_deposit_ids": ids})
    assert result.parts["outstanding_deposit_ids"] == share
    assert result.score == round(0.86 + 0.14 * share, 6)
    assert result.passed == (share == 1)


@pytest.mark.parametrize(
    "value",
    [
        *("GL-02", None, True, 5, {}, {"GL-02": 1, "GL-05": 1, "GL-07": 1}, "GL-02, GL-05, GL-07", '["GL-02"]'),
        *([None], ["GL-02", "GL-05", "GL-07", None], ["GL-02", "GL-05", "GL-07", 7], [["GL-02", "GL-05", "GL-07"]]),
        *([True], [{}], [1.5]),
    ],
)
def test_what_is_no_list_of_texts_earns_nothing(value: Any) -> None:
    result = exact({**ANSWER, "outstanding_deposit_ids": value})
    assert (result.score, result.parts["outstanding_deposit_ids"]) == (0.86, 0.0)
    assert result.error is not None
    assert result.error.startswith("outstanding_deposit_ids: ")


def test_a_number_is_no_id_even_if_its_digits_are() -> None:
    truth = {**TRUTH, "unpresented_payment_ids": ["5"]}
    assert exact({**ANSWER, "unpresented_payment_ids": ["5"]}, truth).passed
    assert exact({**ANSWER, "unpresented_payment_ids": [5]}, truth).score == 0.86


def test_nothing_expected() -> None:
    assert exact({**ANSWER, "duplicate_invoice_ids": []}).passed
    assert exact({**ANSWER, "duplicate_invoice_ids": ["AP-01"]}).score == 0.86
    assert exact({**ANSWER, "duplicate_invoice_ids": None}).score == 0.86


def test_the_order_of_a_list_never_matters() -> None:
    ids = ["GL-01", "GL-02", "GL-05", "GL-05"]
    scores = {exact({**ANSWER, "outstanding_deposit_ids": list(order)}).score for order in permutations(ids)}
    assert scores == {0.93}


# Status and cap


@pytest.mark.parametrize(
    "value",
    ["Reconciled", "RECONCILED", " reconciled", "reconciled.", "", "unreconciled", True, None, 1, ["reconciled"], {}],
)
def test_the_status_is_the_exact_text(value: Any) -> None:
    result = exact({**ANSWER, "reconciliation_status": value})
    assert (result.score, result.parts["reconciliation_status"], result.parts["capped"]) == (0.94, 0.0, False)


@pytest.mark.parametrize(
    ("change", "score", "capped"),
    [
        ({"adjusted_book_balance": "1250.51"}, 0.75, True),
        ({"adjusted_book_balance": None}, 0.75, True),
        ({"adjusted_bank_balance": "1,250.50"}, 0.75, True),
        ({"adjusted_book_balance": "x", "adjusted_bank_balance": "x"}, 0.64, True),
        ({"adjusted_book_balance": "1", "adjusted_bank_balance": "2"}, 0.64, True),
        ({"adjusted_book_balance": "1", "adjusted_bank_balance": 1.00}, 0.64, False),  # wrong, no contradiction
        ({"adjusted_book_balance": 1250.5}, 1.0, False),
        ({"adjusted_book_balance": "1250.51", "reconciliation_status": "unreconciled"}, 0.76, False),
        ({"reconciliation_status": "unreconciled"}, 0.94, False),
    ],
)
def test_reconciled_with_unequal_balances_is_capped(change: dict[str, Any], score: float, capped: bool) -> None:
    result = exact({**ANSWER, **change})
    assert (result.score, result.parts["capped"]) == (score, capped)
    assert ("at most 0.75" in (result.error or "")) == capped


def test_reconciled_of_an_unreconciled_case_is_capped() -> None:
    truth = {**TRUTH, "adjusted_bank_balance": "1259.50", "reconciliation_status": "unreconciled"}
    answer = {**ANSWER, "adjusted_bank_balance": "1259.50"}
    assert exact({**answer, "reconciliation_status": "unreconciled"}, truth).passed
    result = exact(answer, truth)
    assert (result.score, result.passed, result.parts["capped"]) == (0.75, False, True)


def test_every_lost_point_has_its_reason_in_one_line() -> None:
    result = exact(
        {
            "adjusted_book_balance": "1250.505",
            "adjusted_bank_balance": 99,
            "outstanding_deposit_ids": ["GL-02", "GL-09"],
            "unpresented_payment_ids": "GL-03",
            "bank_fee_entry_amount": "a\n" * 100,
            "interest_entry_amount": [],
            "reconciliation_status": "reconciled",
        }
    )
    assert result.error is not None
    assert result.error.split("; ") == [
        "adjusted_book_balance: '1250.505' is not an amount with at most two decimals",
        "adjusted_bank_balance: 99 is not the amount",
        "outstanding_deposit_ids: 2 missing, 1 wrong",
        "unpresented_payment_ids: a text is not a list of ids",
        "duplicate_invoice_ids: missing",
        "bank_fee_entry_amount: '" + 20 * r"a\n" + "...' is not an amount with at most two decimals",
        "interest_entry_amount: a list is not an amount with at most two decimals",
        "reconciled, but the reported balances are not equal: at most 0.75",
    ]
    assert result.score == round((14 / 4 + 6) / 100, 6)


def test_reasons_do_not_tell_the_truth() -> None:
    wrong = {key: [] if isinstance(value, list) else "7.77" for key, value in ANSWER.items()}
    error = exact(wrong).error or ""
    for key, value in ANSWER.items():
        assert all(text not in error for text in (value if isinstance(value, list) else [value])), key
