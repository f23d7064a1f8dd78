"""What every scenario holds, read from the public row and the truth row as an auditor would."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise

import pytest

from pipeline.families.reconcile_ledger import FAMILY

TYPES = {"missing_in_gl", "duplicate_in_gl", "amount_mismatch", "date_drift"}
Record = dict[str, str]


def records(text: str) -> list[Record]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def cents(record: Record) -> int:
    return int(record["amount"].replace(".", ""))


@dataclass(frozen=True)
class Month:
    """One scenario as read back from its rows."""

    bank_csv: str
    gl_csv: str
    period: str
    types: dict[str, str]

    @cached_property
    def bank(self) -> list[Record]:
        return records(self.bank_csv)

    @cached_property
    def ledger(self) -> list[Record]:
        return records(self.gl_csv)

    @cached_property
    def by_ref(self) -> dict[str, list[Record]]:
        result = defaultdict(list)
        for row in self.ledger:
            result[row["txn_ref"]].append(row)
        return dict(result)

    def of_type(self, kind: str) -> list[Record]:
        return [row for row in self.bank if self.types.get(row["txn_id"]) == kind]


@pytest.fixture(scope="module")
def months() -> list[Month]:
    family = FAMILY()
    result = []
    for key in [*range(300), "text", 2**63 - 1]:
        item = family.generate("test", key)
        types = {found["txn_id"]: found["type"] for found in item.truth["discrepancies"]}
        result.append(Month(item.public["bank_csv"], item.public["gl_csv"], item.public["period"], types))
    return result


def test_200_transactions_and_12_discrepancies_one_a_transaction(months: list[Month]):
    for month in months:
        assert len(month.bank) == 200
        assert len(month.types) == 12
        assert set(month.types) <= {row["txn_id"] for row in month.bank}
        assert set(month.types.values()) == TYPES
        assert len({row["txn_ref"] for row in month.bank}) == 200


def test_counts_of_types_vary(months: list[Month]):
    for kind in TYPES:
        assert {Counter(month.types.values())[kind] for month in months} >= {1, 2, 3, 4, 5, 6}


def test_no_ledger_row_without_a_bank_transaction(months: list[Month]):
    for month in months:
        assert set(month.by_ref) <= {row["txn_ref"] for row in month.bank}


def test_every_transaction_differs_as_its_type_says_and_in_nothing_else(months: list[Month]):
    for month in months:
        for transaction in month.bank:
            kind = month.types.get(transaction["txn_id"])
            rows = month.by_ref.get(transaction["txn_ref"], [])
            assert len(rows) == {"missing_in_gl": 0, "duplicate_in_gl": 2}.get(kind, 1)
            for row in rows:
                assert (row["amount"] != transaction["amount"]) == (kind == "amount_mismatch")
                days = (date.fromisoformat(row["date"]) - date.fromisoformat(transaction["date"])).days
                assert (days != 0) == (kind == "date_drift")
                assert -3 <= days <= 5


def test_mismatches_are_of_the_five_kinds(months: list[Month]):
    kinds: Counter[str] = Counter()
    for month in months:
        wrong = {
            row["txn_id"]: (cents(row), cents(month.by_ref[row["txn_ref"]][0]))
            for row in month.of_type("amount_mismatch")
        }
        for key, (right, other) in wrong.items():
            assert other != 0
            swapped = any(pair == (other, right) for name, pair in wrong.items() if name != key)
            assert right * other > 0 or swapped
            if abs(right - other) == 1:
                kinds["cent"] += 1
            elif abs(right - other) == 100:
                kinds["unit"] += 1
            elif other == 10 * right:
                kinds["ten"] += 1
            elif sum(one != two for one, two in zip(str(right), str(other), strict=False)) == 2 and sorted(
                str(right)
            ) == sorted(str(other)):
                kinds["transposed"] += 1
            else:
                assert swapped
                kinds["swapped"] += 1
    assert set(kinds) == {"cent", "unit", "ten", "transposed", "swapped"}
    assert min(kinds.values()) > 0.03 * kinds.total()


def test_mismatches_keep_to_the_range_of_right_amounts(months: list[Month]):
    for month in months:
        for row in month.bank + month.ledger:
            assert 10_00 <= abs(cents(row)) <= 99_999_99


def test_a_fifth_of_the_amounts_are_shared(months: list[Month]):
    for month in months:
        uses = Counter(row["amount"] for row in month.bank)
        assert sum(count for count in uses.values() if count > 1) == 40


def test_a_missing_and_a_duplicate_cancel_in_the_control_total(months: list[Month]):
    cancelling = 0
    for month in months:
        missing = {row["amount"] for row in month.of_type("missing_in_gl")}
        cancelling += bool(missing & {row["amount"] for row in month.of_type("duplicate_in_gl")})
    assert cancelling / len(months) == pytest.approx(0.6, abs=0.12)


def test_a_cluster_on_the_last_day_with_drift_into_the_next_month(months: list[Month]):
    crossed_months = crossed_years = 0
    for month in months:
        last_day = month.bank[-1]["date"]
        assert sum(row["date"] == last_day for row in month.bank) >= 44
        drifted = [month.by_ref[r["txn_ref"]][0] for r in month.of_type("date_drift") if r["date"] == last_day]
        assert len(drifted) < 2
        assert all(row["date"][:7] > month.period for row in drifted)
        crossed_months += len(drifted)
        crossed_years += any(row["date"][:4] > month.period[:4] for row in drifted)
    assert crossed_years > 5
    assert crossed_months / len(months) == pytest.approx(0.75, abs=0.12)


def test_references_one_transposition_apart(months: list[Month]):
    for month in months:
        refs = {row["txn_ref"] for row in month.bank}
        twins = sum(
            one != two and ref[:place] + two + one + ref[place + 2 :] in refs
            for ref in refs
            for place, (one, two) in enumerate(pairwise(ref))
        )
        assert twins >= 40


def test_dates_are_in_order_and_in_the_month(months: list[Month]):
    for month in months:
        dates = [row["date"] for row in month.bank]
        assert dates == sorted(dates)
        assert {day[:7] for day in dates} == {month.period}


def test_the_ledger_is_shuffled_and_ids_follow_its_order(months: list[Month]):
    for month in months:
        order = [row["txn_ref"] for row in month.ledger]
        assert order != sorted(order)
        assert all(one != two for one, two in pairwise(order))
        tag = month.bank[0]["txn_id"].split("-")[1]
        assert [row["gl_id"] for row in month.ledger] == [f"GL-{tag}-{n:04d}" for n in range(1, len(order) + 1)]
        assert [row["txn_id"] for row in month.bank] == [f"BNK-{tag}-{n:04d}" for n in range(1, 201)]


def test_texts_are_hard_to_split_and_safe_to_open(months: list[Month]):
    for month in months:
        for text in (month.bank_csv, month.gl_csv):
            assert not text.endswith("\n")
            assert "\r" not in text
            rows = records(text)
            assert len(rows) == text.count("\n")  # no line feed inside a cell
            for mark in ",\"'":
                assert any(mark in row["description"] for row in rows)
            for row in rows:
                assert all(row[cell][0] not in "=+@-" for cell in row if cell != "amount")
                assert row["description"].isprintable()


def test_descriptions_always_differ_between_the_sides(months: list[Month]):
    for month in months:
        for transaction in month.bank:
            for row in month.by_ref.get(transaction["txn_ref"], []):
                assert row["description"].casefold() != transaction["description"].casefold()


def test_the_csv_writer_would_write_the_same_text(months: list[Month]):
    for month in months[:20]:
        for text in (month.bank_csv, month.gl_csv):
            out = io.StringIO(newline="")
            csv.writer(out, lineterminator="\n").writerows(csv.reader(io.StringIO(text, newline=""), strict=True))
            assert out.getvalue() == text + "\n"


FEATURES: dict[str, Callable[[Month, int, Record], Hashable]] = {
    "position": lambda month, place, row: place // 40,
    "last day": lambda month, place, row: row["date"] == month.bank[-1]["date"],
    "leading digit": lambda month, place, row: row["amount"].lstrip("-")[0] in "123",
    "last digit": lambda month, place, row: row["amount"][-1] in "09",
    "size": lambda month, place, row: len(row["amount"].lstrip("-")),
    "sign": lambda month, place, row: row["amount"][0] == "-",
    "reference": lambda month, place, row: int(row["txn_ref"][-1]) // 2,
    "id": lambda month, place, row: int(row["txn_id"][-1]) // 2,
    "wording": lambda month, place, row: row["description"][:4] in ("ACH ", "WIRE"),
    "length of the text": lambda month, place, row: len(row["description"]) > 32,
}


@pytest.mark.parametrize("feature", FEATURES)
def test_nothing_on_the_bank_side_makes_a_transaction_suspect(months: list[Month], feature: str):
    total: Counter[Hashable] = Counter()
    planted: Counter[Hashable] = Counter()
    for month in months:
        for place, row in enumerate(month.bank):
            value = FEATURES[feature](month, place, row)
            total[value] += 1
            planted[value] += row["txn_id"] in month.types
    for value, count in total.items():
        deviation = (count * 0.06 * 0.94) ** 0.5
        assert abs(planted[value] - 0.06 * count) < 4 * deviation, f"{feature} {value!r}"


def test_a_shared_amount_makes_no_transaction_suspect(months: list[Month]):
    planted = shared = 0
    for month in months:
        uses = Counter(row["amount"] for row in month.bank)
        for row in month.bank:
            if uses[row["amount"]] > 1:
                shared += 1
                planted += row["txn_id"] in month.types
    assert planted / shared == pytest.approx(0.06, abs=0.006)


@pytest.mark.parametrize("feature", ["shared amount", "last day"])
def test_what_a_trap_uses_says_nothing_of_the_type(months: list[Month], feature: str):
    marked = 0
    planted: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    for month in months:
        uses = Counter(row["amount"] for row in month.bank)
        for row in month.bank:
            has = uses[row["amount"]] > 1 if feature == "shared amount" else row["date"] == month.bank[-1]["date"]
            marked += has
            kind = month.types.get(row["txn_id"])
            if kind:
                everywhere[kind] += 1
                planted[kind] += has
    share = marked / (200 * len(months))
    for kind, count in everywhere.items():
        deviation = (count * share * (1 - share)) ** 0.5
        assert abs(planted[kind] - share * count) < 4 * deviation, f"{feature} {kind}"


def test_no_row_of_a_duplicate_looks_like_the_second(months: list[Month]):
    first_is_longer = total = 0
    for month in months:
        for transaction in month.of_type("duplicate_in_gl"):
            one, two = month.by_ref[transaction["txn_ref"]]
            if len(one["description"]) != len(two["description"]):
                total += 1
                first_is_longer += len(one["description"]) > len(two["description"])
    assert first_is_longer / total == pytest.approx(0.5, abs=0.06)
