"""The edge cases of the specifications, through ``closebench-hub grade``: the files give what the rules say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from conftest import Outcome

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.families import get_family
from pipeline.families.base import Item

Hub = Callable[..., Outcome]
Truth = dict[str, Any]


def grade_each(
    hub: Hub, folder: Path, items: list[Item], cases: Mapping[str, Callable[[Item], str]], tmp_path: Path
) -> dict[str, dict[str, Any]]:
    """Give each case to the next row, as repeated answers, and return its result by the name of the case."""
    family = get_family(json.loads((folder / "manifest.json").read_bytes())["family"])
    answers, out = tmp_path / "answers.jsonl", tmp_path / "results.jsonl"
    with answers.open("w") as file:
        for item, make in zip(cycle(items), cases.values(), strict=False):
            file.write(json.dumps({"id": family.row_id(item.public), "answer": make(item)}) + "\n")
    outcome = hub("grade", folder, "--answers", answers, "--out", out, "--allow-repeats")
    assert (outcome.code, outcome.err) == (0, "")
    results = [json.loads(line) for line in out.read_text().splitlines()]
    by_line = {result["line"]: result for result in results if result["line"]}
    assert len(by_line) == len(cases)
    return {name: by_line[number] for number, name in enumerate(cases, 1)}


def test_accounting_assistant(hub: Hub, tmp_path: Path) -> None:
    family = get_family("accounting_assistant")
    folder = build_release(BuildRequest(family.name, tmp_path / "release", engine="serial"))[0]
    items = [family.generate(split, seed) for split, seeds in family.default_seeds.items() for seed in seeds]

    def right(item: Item) -> Truth:
        answer: Truth = json.loads(family.oracle(item, "exact"))
        return answer

    def with_(**changes: Any) -> Callable[[Item], str]:
        return lambda item: json.dumps({**right(item), **changes})

    def without(key: str) -> Callable[[Item], str]:
        return lambda item: json.dumps({k: v for k, v in right(item).items() if k != key})

    def text(template: str) -> Callable[[Item], str]:
        return lambda item: template.replace("RIGHT", family.oracle(item, "exact"))

    def numbers(item: Item) -> str:
        amounts = {key: float(value) for key, value in right(item).items() if key.endswith(("balance", "amount"))}
        return json.dumps({**right(item), **amounts})

    def fee_as(spelling: str) -> Callable[[Item], str]:
        return lambda item: json.dumps(right(item) | {"bank_fee_entry_amount": spelling})

    def shuffled_and_repeated(item: Item) -> str:
        answer = right(item)
        lists = {key: [*reversed(value), *value] for key, value in answer.items() if isinstance(value, list)}
        return json.dumps({**answer, **lists})

    expected: dict[str, tuple[Callable[[Item], str], float]] = {
        "the truth": (text("RIGHT"), 1.0),
        "white space around": (text("\n RIGHT\t\r\n"), 1.0),
        "amounts as numbers": (numbers, 1.0),
        "sets in another order, repeated": (shuffled_and_repeated, 1.0),
        "extra keys": (with_(thoughts=[None]), 1.0),
        "a fence": (text("```json\nRIGHT\n```"), 0.0),
        "text before": (text("Here: RIGHT"), 0.0),
        "text after": (text("RIGHT done"), 0.0),
        "a second value": (text("RIGHT RIGHT"), 0.0),
        "a byte order mark": (text("\ufeffRIGHT"), 0.0),
        "a key twice": (lambda item: family.oracle(item, "exact")[:-1] + ',"reconciliation_status":"x"}', 0.0),
        "NaN": (with_(extra=float("nan")), 0.0),
        "over 200 kB": (with_(extra="x" * 200_000), 0.0),
        "deep": (text("[" * 5_000), 0.0),
        "digits": (text('{"a":' + "9" * 5_000 + "}"), 0.0),
        "empty": (text(""), 0.0),
        "an object without keys": (text("{}"), 0.0),
        "a list": (text("[RIGHT]"), 0.0),
        "a null fee": (with_(bank_fee_entry_amount=None), 0.92),
        "a boolean fee": (with_(bank_fee_entry_amount=True), 0.92),
        "three decimals": (fee_as("12.345"), 0.92),
        "an exponent": (fee_as("1e3"), 0.92),
        "a plus sign": (fee_as("+1"), 0.92),
        "a thousands comma": (fee_as("1,000.00"), 0.92),
        "a currency sign": (fee_as("$5"), 0.92),
        "padding": (fee_as(" 5"), 0.92),
        "other digits": (fee_as("٥"), 0.92),
        "no interest": (without("interest_entry_amount"), 0.92),
        "no list": (without("duplicate_invoice_ids"), 0.86),
        "a text for a list": (with_(outstanding_deposit_ids="GL-01"), 0.86),
        "a number among ids": (with_(unpresented_payment_ids=[1]), 0.86),
        "no status": (without("reconciliation_status"), 0.94),
        "a status in capitals": (with_(reconciliation_status="RECONCILED"), 0.94),
        "reconciled and unequal": (with_(reconciliation_status="reconciled", adjusted_book_balance="0.01"), 0.75),
        "reconciled without a balance": (with_(reconciliation_status="reconciled", adjusted_bank_balance="x"), 0.75),
    }
    results = grade_each(hub, folder, items, {name: make for name, (make, _) in expected.items()}, tmp_path)
    assert {name: result["score"] for name, result in results.items()} == {
        name: score for name, (_, score) in expected.items()
    }
    for name, (_, score) in expected.items():
        assert results[name]["passed"] == (score == 1.0)
        assert (results[name]["error"] is None) == (score == 1.0)
        assert results[name]["lenient"]["score"] == (1.0 if name == "a fence" else score)


def test_reconcile_ledger(hub: Hub, tmp_path: Path) -> None:
    family = get_family("reconcile_ledger")
    folder = build_release(BuildRequest(family.name, tmp_path / "release", engine="serial"))[0]
    items = [family.generate("test", seed) for seed in family.default_seeds["test"]]

    def answer(make: Callable[[list[Truth]], Any]) -> Callable[[Item], str]:
        return lambda item: json.dumps(make([dict(pair) for pair in item.truth["discrepancies"]]))

    def other(pair: Truth) -> Truth:
        return {**pair, "type": "date_drift" if pair["type"] != "date_drift" else "amount_mismatch"}

    wrong = {"txn_id": "BNK-99-9999", "type": "missing_in_gl"}
    expected: dict[str, tuple[Callable[[Item], str], bool]] = {
        "the truth": (answer(lambda truth: truth), True),
        "the truth repeated": (answer(lambda truth: truth * 2), True),
        "another order": (answer(lambda truth: truth[::-1]), True),
        "extra keys": (answer(lambda truth: [{**pair, "why": None} for pair in truth]), True),
        "plus one unknown id": (answer(lambda truth: [*truth, wrong]), True),
        "plus one null type": (answer(lambda truth: [*truth, {**truth[0], "type": None}]), True),
        "plus one malformed": (answer(lambda truth: [*truth, 5]), True),
        "plus two": (answer(lambda truth: [*truth, wrong, "x"]), False),
        "a wrong type instead": (answer(lambda truth: [other(truth[0]), *truth[1:]]), False),
        "a right and a wrong type": (answer(lambda truth: [other(truth[0]), *truth]), True),
        "one missing": (answer(lambda truth: truth[1:]), False),
        "nothing": (answer(lambda truth: []), False),
        "an object": (answer(lambda truth: {"discrepancies": truth}), False),
        "capitals": (answer(lambda truth: [{**pair, "type": pair["type"].upper()} for pair in truth]), False),
        "a fence": (lambda item: f"```json\n{family.oracle(item, 'exact')}\n```", False),
        "trailing text": (lambda item: family.oracle(item, "exact") + " done", False),
    }
    results = grade_each(hub, folder, items, {name: make for name, (make, _) in expected.items()}, tmp_path)
    assert {name: result["passed"] for name, result in results.items()} == {
        name: passed for name, (_, passed) in expected.items()
    }
    assert all(result["score"] == float(result["passed"]) for result in results.values())


def test_closebench(hub: Hub, small_release: Path, tmp_path: Path) -> None:
    family = get_family("closebench")
    item = family.generate("en", 1)  # seven planted errors, all of them live
    fixes: list[Truth] = json.loads(family.oracle(item, "strict"))
    wash = [{"account": "6000", "debit": "7"}, {"account": "6100", "credit": "7"}]

    def joined(*entries: Truth) -> Truth:
        return {**entries[0], "lines": [line for entry in entries for line in entry["lines"]]}

    def reversal(entry: Truth) -> Truth:
        lines = [{**line, "debit": line["credit"], "credit": line["debit"]} for line in entry["lines"]]
        return {**entry, "lines": lines}

    seventh = pytest.approx(1 / 7, abs=1e-3)
    most = pytest.approx(6 / 7, abs=1e-3)
    most_and_one = pytest.approx(6 / 7 - 0.1, abs=1e-3)
    first, *rest = fixes
    expected: dict[str, tuple[Any, Any, Any]] = {
        "every fix": (fixes, 1.0, 1.0),
        "nothing": ([], 0.0, 0.0),
        "a passenger beside a fix": ([{**first, "lines": [*first["lines"], *wash]}, *rest], 1.0, most_and_one),
        "a fix and its reversal": ([joined(first, reversal(first)), *rest], 1.0, most_and_one),
        "all fixes in one entry": ([joined(*fixes)], seventh, 0.0),
        "no such date": ([{**first, "date": "2026-11-2 banana"}, *rest], 1.0, most_and_one),
        "a date of null": ([{**first, "date": None}, *rest], 0.0, most_and_one),
        "a memo of null": ([{**first, "memo": None}, *rest], 1.0, most_and_one),
        "a fix too few": (rest, most, most),
        "a stranger too many": ([*fixes, {**first, "lines": wash}], 0.9, 0.9),
    }
    cases = {name: (lambda item, entries=entries: json.dumps(entries)) for name, (entries, _, _) in expected.items()}
    results = grade_each(hub, small_release, [item], cases, tmp_path)
    assert {name: result["score"] for name, result in results.items()} == {
        name: published for name, (_, published, _) in expected.items()
    }
    assert {name: result["strict"]["score"] for name, result in results.items()} == {
        name: strict for name, (_, _, strict) in expected.items()
    }
    assert "TypeError" in results["a date of null"]["error"]
