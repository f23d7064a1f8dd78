"""The rows of accounting_assistant: determinism, rules, traps, independence of the seed, schemas, secrets."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import jsonschema_rs
import orjson
import pytest

from pipeline.errors import UsageError
from pipeline.families.accounting_assistant import FAMILY
from pipeline.families.accounting_assistant.invariants import InvariantBroken, check_case
from pipeline.families.accounting_assistant.plan import PROBABILITIES, Plan, draw_plan
from pipeline.families.accounting_assistant.prompt import SYSTEM
from pipeline.families.accounting_assistant.solve import solve
from pipeline.families.accounting_assistant.wording import INJECTIONS
from pipeline.families.base import Item, Row
from pipeline.families.keyed_random import KeyedRandom
from pipeline.seeds import MAX_SEED

ROOT = Path(__file__).parents[2]
ROWS_SHA256 = "f5c14f9f553f3a357f70c1122f5db8ea5d8eb8a8d5ad82cb120ae5b1b5da5329"
"""Digest of the 32 published items. A change of it is a change of the data and needs a new major data version."""

MANY = 3_000
PLANS = 12_000
HEAD = ("id", "seed", "split")
FINDINGS = ("outstanding", "unpresented", "fees", "interest", "duplicate_pairs")
EXACTLY_OBSERVED = ("unreconciled", "injection", "offset", "booked_fee")
"""Traps that a row shows if and only if they were drawn; the others can also come about by chance."""


def plan_of(split: str, key: int | str) -> Plan:
    return draw_plan(KeyedRandom("accounting_assistant", "1", split, key))


def answer_of(truth: Row) -> Row:
    return {key: value for key, value in truth.items() if key not in HEAD}


def published() -> Iterator[tuple[str, int]]:
    for split, seeds in FAMILY.default_seeds.items():
        for seed in seeds:
            yield split, seed


@pytest.fixture(scope="module")
def default_items() -> list[Item]:
    family = FAMILY()
    return [family.generate(split, seed) for split, seed in published()]


@pytest.fixture(scope="module")
def many_items() -> list[Item]:
    family = FAMILY()
    return [family.generate("train", seed) for seed in range(MANY)]


# Determinism


def test_the_published_rows_are_what_they_were(default_items: list[Item]) -> None:
    rows = [row for item in default_items for row in (item.public, item.truth)]
    assert hashlib.sha256(b"\n".join(map(orjson.dumps, rows))).hexdigest() == ROWS_SHA256


def test_another_process_makes_the_same_rows(default_items: list[Item]) -> None:
    script = (
        "import sys, orjson\n"
        "from pipeline.families.accounting_assistant import FAMILY\n"
        "item = FAMILY().generate('train', 1001)\n"
        "sys.stdout.buffer.write(orjson.dumps([item.public, item.truth]))\n"
    )
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT), "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True)
    assert run.stdout == orjson.dumps([default_items[0].public, default_items[0].truth])


def test_importing_the_family_loads_nothing_heavy() -> None:
    script = (
        "import sys, pipeline.families.accounting_assistant\n"
        "print([name for name in ('pyarrow', 'datasets', 'jsonschema_rs', 'huggingface_hub') if name in sys.modules])"
    )
    environment = {"PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True, text=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED])
def test_any_seed_makes_a_row(seed: int) -> None:
    item = FAMILY().generate("eval", seed)
    assert item.public["seed"] == item.truth["seed"] == seed
    assert FAMILY().row_id(item.public) == FAMILY().row_id(item.truth) == f"acct-{seed}"


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_other_numbers_are_refused(seed: int) -> None:
    with pytest.raises(UsageError, match="not within"):
        FAMILY().generate("train", seed)


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(UsageError, match="no split 'test'; choose from train, eval"):
        FAMILY().generate("test", 1)


def test_the_splits_hold_different_cases_of_one_seed() -> None:
    family = FAMILY()
    assert family.generate("train", 5).public["case"] != family.generate("eval", 5).public["case"]


def test_the_default_seeds_are_24_and_8_and_disjoint() -> None:
    train, held_out = FAMILY.default_seeds["train"], FAMILY.default_seeds["eval"]
    assert list(FAMILY.default_seeds) == ["train", "eval"]
    assert (train.count, held_out.count) == (24, 8)
    assert len(train.ranges) == len(held_out.ranges) == 1
    assert not set(train) & set(held_out)


# Secret texts as keys


@pytest.mark.parametrize("key", ["correct horse battery staple", "1001", "", "ключ 🔑", 'quote " and \\ and \n'])
def test_a_text_makes_a_row_without_a_seed(key: str) -> None:
    family = FAMILY()
    item = family.generate("eval", key)
    assert item == family.generate("eval", key)
    assert list(item.public) == ["id", "split", "period", "system", "prompt", "case"]
    assert "seed" not in item.truth
    assert item.public["id"] == item.truth["id"]
    assert solve(item.public) == answer_of(item.truth)
    assert family.grade(item, family.oracle(item, "exact"))["exact"].passed


def test_a_text_is_not_revealed_and_is_not_a_seed() -> None:
    family = FAMILY()
    secret = family.generate("train", "held-out edition 7")
    assert "held-out edition 7" not in orjson.dumps(secret.public).decode()
    assert family.generate("train", "1001").public["case"] != family.generate("train", 1001).public["case"]
    ids = {family.generate(split, f"key {n}").public["id"] for split in family.splits for n in range(50)}
    assert len(ids) == 100


def test_a_text_that_has_no_bytes_is_refused() -> None:
    with pytest.raises(UsageError, match="not valid Unicode"):
        FAMILY().generate("train", "\ud800")


# The solver


def test_the_solver_finds_the_truth(default_items: list[Item], many_items: list[Item]) -> None:
    for item in default_items + many_items:
        assert solve(item.public) == answer_of(item.truth), item.public["id"]
        assert list(solve(item.public)) == list(answer_of(item.truth))


def test_the_solver_reads_the_record_alone(default_items: list[Item]) -> None:
    item = default_items[0]
    assert solve({"case": item.public["case"]}) == answer_of(item.truth)


def test_the_solver_stands_on_the_standard_library_alone() -> None:
    source = (ROOT / "pipeline/families/accounting_assistant/solve.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module))
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


# The rows


def test_the_record_stands_in_the_prompt_unchanged(many_items: list[Item]) -> None:
    prompts = set()
    for item in many_items:
        record = json.loads(item.public["case"])
        assert item.public["case"] == orjson.dumps(record).decode()
        assert item.public["prompt"].endswith("\n" + item.public["case"])
        assert item.public["system"] == SYSTEM
        prompts.add(item.public["prompt"].removesuffix(item.public["case"]).replace(item.public["period"], "MONTH"))
    assert len(prompts) == 1


def test_lists_ids_dates_and_amounts(many_items: list[Item]) -> None:
    for item in many_items:
        record = json.loads(item.public["case"])
        assert list(record) == [
            *("currency", "opening_cash", "ledger_closing_balance", "bank_closing_balance"),
            *("ledger", "bank_statement", "ap_invoices"),
        ]
        ledger, statement, invoices = record["ledger"], record["bank_statement"], record["ap_invoices"]
        for lines, prefix, kinds in (
            (ledger, "GL", {"deposit", "payment"}),
            (statement, "BK", {"deposit", "payment", "fee", "interest"}),
        ):
            assert all(list(line) == ["id", "date", "type", "ref", "amount", "description"] for line in lines)
            assert [line["id"] for line in lines] == [f"{prefix}-{n:02d}" for n in range(1, len(lines) + 1)]
            assert {line["type"] for line in lines} <= kinds
            assert len({line["ref"] for line in lines}) == len(lines)
        assert all(list(row) == ["invoice_id", "vendor", "invoice_number", "date", "amount"] for row in invoices)
        assert [row["invoice_id"] for row in invoices] == [f"AP-{n:02d}" for n in range(1, len(invoices) + 1)]
        assert all(row["date"].startswith(item.public["period"] + "-") for row in ledger + statement + invoices)
        assert all(float(row["amount"]) > 0 for row in ledger + statement + invoices)
        matched = {line["ref"] for line in ledger} & {line["ref"] for line in statement}
        assert 8 <= len(matched) <= 14
        assert 9 <= len(invoices) <= 14
        assert 5_000 <= float(record["opening_cash"]) <= 50_000
        bank_only = [line for line in statement if line["ref"] not in matched]
        fees = [float(line["amount"]) for line in bank_only if line["type"] == "fee"]
        interest = [float(line["amount"]) for line in bank_only if line["type"] == "interest"]
        assert len(bank_only) == len(fees) + len(interest)
        assert len(fees) <= 2
        assert all(5 <= fee <= 45 for fee in fees)
        assert len(interest) <= 1
        assert all(0.5 <= amount <= 90 for amount in interest)


def test_at_least_three_findings_and_no_cancelling(many_items: list[Item]) -> None:
    for item in many_items:
        truth = item.truth
        fees, interest = truth["bank_fee_entry_amount"], truth["interest_entry_amount"]
        lists = [truth[key] for key in ("outstanding_deposit_ids", "unpresented_payment_ids", "duplicate_invoice_ids")]
        assert sum(map(bool, lists)) + (fees != "0.00") + (interest != "0.00") >= 3
        assert fees != interest or fees == "0.00"
        assert len(lists[0]) <= 3
        assert len(lists[1]) <= 3
        assert len(lists[2]) in (0, 2, 4)
        assert lists[0] or lists[1]


def test_no_two_rows_are_alike(many_items: list[Item]) -> None:
    public = {orjson.dumps({k: v for k, v in item.public.items() if k not in HEAD}) for item in many_items}
    truth = {orjson.dumps(answer_of(item.truth)) for item in many_items}
    assert len(public) == len(truth) == MANY


@pytest.mark.parametrize("config", ["cases", "truth"])
def test_rows_fit_the_schema_in_its_order(config: str, default_items: list[Item], many_items: list[Item]) -> None:
    schema = json.loads((ROOT / f"schemas/accounting_assistant/{config}.json").read_text(encoding="utf-8"))
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    assert schema["required"] == list(schema["properties"])
    assert all(field["description"].endswith(".") for field in schema["properties"].values())
    for item in default_items + many_items:
        row = item.public if config == "cases" else item.truth
        validator.validate(row)
        assert list(row) == list(schema["properties"])
        assert not validator.is_valid({**row, "more": "x"})
    assert not validator.is_valid({key: value for key, value in row.items() if key != "seed"})


def test_a_broken_case_does_not_leave_the_generator(default_items: list[Item]) -> None:
    item, plan = default_items[0], plan_of("train", 1001)
    record, answer = json.loads(item.public["case"]), answer_of(item.truth)
    difference = round(100 * (float(answer["adjusted_bank_balance"]) - float(answer["adjusted_book_balance"])))
    check_case(record, answer, plan, difference)
    with pytest.raises(InvariantBroken, match="ledger closing = opening"):
        check_case({**record, "ledger_closing_balance": "1.00"}, answer, plan, difference)
    with pytest.raises(InvariantBroken, match="planted difference"):
        check_case(record, answer, plan, difference + 1)
    with pytest.raises(InvariantBroken, match="both members"):
        check_case(record, {**answer, "duplicate_invoice_ids": ["AP-01"]}, plan, difference)
    statement = record["bank_statement"]
    twice = [*statement[:-1], {**statement[-1], "ref": statement[0]["ref"]}]
    with pytest.raises(InvariantBroken, match="every ref is unique"):
        check_case({**record, "bank_statement": twice}, answer, plan, difference)


# Traps


def observed(item: Item) -> set[str]:
    """Tell which traps a case shows, from its two rows alone."""
    record, truth = json.loads(item.public["case"]), item.truth
    ledger, statement, invoices = record["ledger"], record["bank_statement"], record["ap_invoices"]
    open_ids = {*truth["outstanding_deposit_ids"], *truth["unpresented_payment_ids"]}
    open_lines = [line for line in ledger if line["id"] in open_ids]
    ledger_refs = {line["ref"] for line in ledger}
    cleared = {(line["type"], line["amount"]) for line in statement if line["ref"] in ledger_refs}
    year, month = map(int, item.public["period"].split("-"))
    last_day = f"{item.public['period']}-{monthrange(year, month)[1]}"
    shows = {
        "unreconciled": truth["reconciliation_status"] == "unreconciled",
        "injection": any(text in line["description"] for line in ledger + statement for text in INJECTIONS),
        "equal_amounts": any((line["type"], line["amount"]) in cleared for line in open_lines),
        "offset": record["bank_closing_balance"] == truth["adjusted_bank_balance"],
        "month_end": any(line["date"] == last_day for line in open_lines),
        "booked_fee": any(line["type"] == "fee" and line["ref"] in ledger_refs for line in statement),
    }
    for one, other in combinations(invoices, 2):
        differing = [key for key in ("vendor", "invoice_number", "amount") if one[key] != other[key]]
        if differing == ["invoice_number"]:
            shows["other_number"] = True
        elif differing == ["vendor"]:
            shows["other_vendor"] = True
        elif differing == ["amount"]:
            assert round(abs(float(one["amount"]) - float(other["amount"])), 2) == 1.0
            shows["other_amount"] = True
    return {trap for trap, shown in shows.items() if shown}


def test_every_split_has_every_trap_and_both_statuses(default_items: list[Item]) -> None:
    for split in FAMILY.default_seeds:
        items = [item for item in default_items if item.public["split"] == split]
        assert set().union(*map(observed, items)) == set(PROBABILITIES)
        assert {item.truth["reconciliation_status"] for item in items} == {"reconciled", "unreconciled"}
        planted = [plan_of(split, item.public["seed"]).planted for item in items]
        assert frozenset().union(*planted) == set(PROBABILITIES)


def test_a_row_shows_what_was_planted(many_items: list[Item]) -> None:
    for item in many_items:
        planted, seen = plan_of("train", item.public["seed"]).planted, observed(item)
        assert planted <= seen, item.public["id"]
        assert planted.intersection(EXACTLY_OBSERVED) == seen.intersection(EXACTLY_OBSERVED), item.public["id"]


def test_an_unreconciled_case_has_one_transposition(many_items: list[Item]) -> None:
    for item in many_items:
        record = json.loads(item.public["case"])
        booked = {line["ref"]: line["amount"] for line in record["ledger"]}
        pairs = [(line["amount"], booked[line["ref"]]) for line in record["bank_statement"] if line["ref"] in booked]
        differing = [pair for pair in pairs if pair[0] != pair[1]]
        assert len(differing) == (item.truth["reconciliation_status"] == "unreconciled")
        for one, other in differing:
            places = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
            assert sorted(one) == sorted(other)
            assert len(places) == 2
            assert places[1] - places[0] <= 2  # neighbours, with the decimal point between them or not


# Nothing else gives the answer away


def deviation(hits: int, trials: int, probability: float) -> float:
    """How many standard deviations a count is off."""
    return abs(hits - trials * probability) / (trials * probability * (1 - probability)) ** 0.5


@pytest.fixture(scope="module")
def plan_events() -> dict[str, list[bool]]:
    plans = [plan_of("train", seed) for seed in range(PLANS)]
    events = {trap: [trap in plan.planted for plan in plans] for trap in PROBABILITIES}
    return events | {name: [bool(getattr(plan, name)) for plan in plans] for name in FINDINGS}


@pytest.mark.parametrize("trap", PROBABILITIES)
def test_traps_have_their_stated_probability(trap: str, plan_events: dict[str, list[bool]]) -> None:
    numerator, denominator = PROBABILITIES[trap]
    assert deviation(sum(plan_events[trap]), PLANS, numerator / denominator) < 4


def test_no_remainder_of_the_seed_predicts_anything(plan_events: dict[str, list[bool]]) -> None:
    for name, happened in plan_events.items():
        rate = sum(happened) / PLANS
        for modulus in range(2, 17):
            for remainder in range(modulus):
                among = happened[remainder::modulus]
                assert deviation(sum(among), len(among), rate) < 4.5, (name, modulus, remainder)


def test_no_trap_predicts_the_status_or_the_injection(plan_events: dict[str, list[bool]]) -> None:
    for name in ("unreconciled", "injection"):
        for other, happened in plan_events.items():
            if other != name:
                among = [mine for mine, there in zip(plan_events[name], happened, strict=True) if there]
                assert deviation(sum(among), len(among), 0.25) < 4.5, (name, other)


def test_open_lines_look_like_cleared_ones(many_items: list[Item]) -> None:
    """No amount, date, ref, place or word is more frequent among open ledger lines than elsewhere."""
    seen: Counter[tuple[str, object]] = Counter()
    is_open: Counter[tuple[str, object]] = Counter()
    for item in many_items:
        ledger = json.loads(item.public["case"])["ledger"]
        open_ids = {*item.truth["outstanding_deposit_ids"], *item.truth["unpresented_payment_ids"]}
        year, month = map(int, item.public["period"].split("-"))
        amounts = Counter((line["type"], line["amount"]) for line in ledger)
        for place, line in enumerate(ledger):
            opposite = "payment" if line["type"] == "deposit" else "deposit"
            for feature in (
                ("all", True),
                ("type", line["type"]),
                ("shares its amount", amounts[line["type"], line["amount"]] > 1),
                ("opposite of its amount", amounts[opposite, line["amount"]] > 0),
                ("last day", line["date"].endswith(f"-{monthrange(year, month)[1]}")),
                ("relative place", 4 * place // len(ledger)),
                ("first digit of the ref", line["ref"][1]),
                ("first digit of the amount", line["amount"][0]),
                ("last digit of the amount", line["amount"][-1]),
                ("injected", "." in line["description"]),
            ):
                seen[feature] += 1
                is_open[feature] += line["id"] in open_ids
    rate = is_open["all", True] / seen["all", True]
    for feature, count in seen.items():
        if count >= 300:
            assert abs(is_open[feature] / count - rate) < 0.05, feature


def test_fees_to_book_look_like_booked_ones(many_items: list[Item]) -> None:
    seen: Counter[tuple[str, object]] = Counter()
    booked: Counter[tuple[str, object]] = Counter()
    for item in many_items:
        record = json.loads(item.public["case"])
        refs = {line["ref"] for line in record["ledger"]}
        for place, line in enumerate(record["bank_statement"]):
            if line["type"] == "fee":
                for feature in (
                    ("all", True),
                    ("late", line["date"][-2:] >= "28"),
                    ("early", line["date"][-2:] <= "03"),
                    ("words", line["description"].split(".")[0]),
                    ("first digit of the ref", line["ref"][1]),
                    ("first digit of the amount", line["amount"][0]),
                    ("relative place", 3 * place // len(record["bank_statement"])),
                ):
                    seen[feature] += 1
                    booked[feature] += line["ref"] in refs
    rate = booked["all", True] / seen["all", True]
    for feature, count in seen.items():
        if count >= 200 and feature != ("all", True):
            assert deviation(booked[feature], count, rate) < 4, feature


def test_duplicates_stand_anywhere(many_items: list[Item]) -> None:
    """Members of a pair are neighbours as often as any two invoices, and stand at any place."""
    neighbours, expected, places, pairs = 0, 0.0, Counter[int](), 0
    lengths = [0] * 14
    for item in many_items:
        invoices = json.loads(item.public["case"])["ap_invoices"]
        for place in range(len(invoices)):
            lengths[place] += 1
        where: dict[tuple[str, ...], list[int]] = {}
        for place, row in enumerate(invoices):
            where.setdefault((row["vendor"], row["invoice_number"], row["amount"]), []).append(place)
        for one, other in (pair for pair in where.values() if len(pair) == 2):
            pairs += 1
            neighbours += other - one == 1
            expected += 2 / len(invoices)
            places.update((one, other))
    assert deviation(neighbours, pairs, expected / pairs) < 4
    for place, registers in enumerate(lengths):
        assert abs(places[place] / registers - sum(places.values()) / sum(lengths)) < 0.05, place


def test_lists_are_not_sorted(many_items: list[Item]) -> None:
    rising = Counter[str]()
    for item in many_items[:500]:
        record = json.loads(item.public["case"])
        for name in ("ledger", "bank_statement", "ap_invoices"):
            rising[name] += all(one["date"] <= other["date"] for one, other in pairwise(record[name]))
    assert not rising["ledger"] + rising["bank_statement"] + rising["ap_invoices"]


# Secrets


def test_no_secret_stands_in_a_public_row(default_items: list[Item], many_items: list[Item]) -> None:
    for item in default_items + many_items[:600]:
        page = orjson.dumps(item.public).decode()
        for text in FAMILY().secret_texts(item):
            assert text not in page
            assert all(text not in value for value in item.public.values() if isinstance(value, str))


@pytest.mark.parametrize("style", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("field", ["prompt", "system", "case", "description", "key"])
def test_a_planted_leak_is_found(field: str, style: tuple[str, str], default_items: list[Item]) -> None:
    for item in default_items:
        secrets = list(FAMILY().secret_texts(item))
        for key, value in answer_of(item.truth).items():
            leak = json.dumps({key: value}, separators=style)
            public = dict(item.public)
            if field == "key":
                public[key] = value
            elif field == "description":
                record = json.loads(public["case"])
                record["ledger"][3]["description"] += leak
                public["case"] = orjson.dumps(record).decode()
            else:
                public[field] += leak
            page = json.dumps(public, ensure_ascii=False, separators=style)
            assert any(text in page for text in secrets), key


def test_a_bare_balance_is_a_secret_unless_the_record_holds_it(default_items: list[Item]) -> None:
    bare = 0
    for item in default_items:
        secrets = set(FAMILY().secret_texts(item))
        for key in ("adjusted_book_balance", "adjusted_bank_balance"):
            balance = item.truth[key]
            assert (balance in secrets) == (balance not in item.public["case"])
            bare += balance in secrets
    assert bare > len(default_items)
    unreadable = Item(public={**item.public, "case": "?"}, truth=item.truth)
    assert item.truth["adjusted_book_balance"] in set(FAMILY().secret_texts(unreadable))


# What the family declares


def test_the_generator_names_its_source() -> None:
    generator = FAMILY().generator()
    assert generator.package == "closebench-hub"
    assert generator.version
    assert len(generator.source_sha256) == 64


def test_the_family_takes_no_checkout() -> None:
    with pytest.raises(UsageError, match="its own generator"):
        FAMILY(ROOT)


def test_the_empty_answer_scores_nothing_and_the_oracle_everything(default_items: list[Item]) -> None:
    family = FAMILY()
    for item in default_items:
        for grade in family.grade(item, family.empty_answer).values():
            assert (grade.score, grade.passed) == (0.0, False)
        for grader in family.graders:
            grade = family.grade(item, family.oracle(item, grader))[grader]
            assert (grade.score, grade.passed, grade.error) == (1.0, True, None)


def test_the_lazy_floor_is_low(default_items: list[Item], many_items: list[Item]) -> None:
    family = FAMILY()
    scores: dict[str, list[float]] = {}
    for item in default_items:
        for name, answer in family.lazy_answers(item.public).items():
            scores.setdefault(name, []).append(family.grade(item, answer)["exact"].score)
    assert len(scores) == 8
    assert max(sum(values) / len(values) for values in scores.values()) <= 0.30
    assert max(max(values) for values in scores.values()) <= 0.60
    for item in many_items[:500]:
        for answer in family.lazy_answers(item.public).values():
            assert family.grade(item, answer)["exact"].score <= 0.60
