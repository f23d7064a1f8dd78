"""Planted errors and decoys of closebench_hardened look alike; only the accounting differs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

import pytest

from pipeline.families.base import Item, Row
from pipeline.families.closebench_hardened import FAMILY
from pipeline.families.closebench_hardened.draws import draw
from pipeline.families.closebench_hardened.wording import TEXTS

HARDENED = FAMILY()
WORLDS = 300

DOCUMENT_OF = {
    "unrecorded_invoice": "SUB-202611-1",
    "duplicate_invoice": "AUD-114",
    "capex_expensed": "HW-7781",
    "prepaid_not_deferred": "SW-900",
    "revenue_cutoff": "ADV-51",
    "unrecorded_bank_fee": "BANK-202611",
    "misclassified_expense": "AR-77",
    "intercompany_mismatch": "IC-202611",
    "fx_revaluation": "NW-2210",
    "depreciation_prorata": "ML-330",
    "service_span_cutoff": "QB-88",
}
"""The document that belongs to each kind that has one."""

EVIDENCE = {
    "prepaid_not_deferred": re.compile(r"(12|1) (months?|месяц(ев)?)"),
    "revenue_cutoff": re.compile(r"\d{4}-\d\d-\d\d|(?<=completion: ).*|(?<=Акт: ).*"),
    "service_span_cutoff": re.compile(r"\d{4}-\d\d-\d\d|\d+(?= calendar| календарных)"),
}
"""The facts in a body that an accountant goes by."""

RANGES = {
    "unrecorded_invoice": range(40_000, 90_000, 1_000),
    "duplicate_invoice": range(15_000, 45_000, 500),
    "capex_expensed": range(80_000, 260_000, 5_000),
    "prepaid_not_deferred": range(60_000, 180_000, 12_000),
    "revenue_cutoff": range(50_000, 140_000, 5_000),
    "unrecorded_bank_fee": range(1_500, 9_000, 50),
    "misclassified_expense": range(20_000, 60_000, 1_000),
    "intercompany_mismatch": range(30_000, 95_000, 1_000),
    "fx_revaluation": range(800, 2_600, 100),
    "depreciation_prorata": range(180_000, 360_000, 9_000),
    "service_span_cutoff": range(120_000, 320_000, 4_000),
}
"""What a document's amount is drawn from, planted or not."""


@pytest.fixture(scope="module")
def worlds() -> dict[str, list[Item]]:
    keys = [f"likeness/{n}" for n in range(WORLDS)]
    return {
        **{f"hard_{lang}": [HARDENED.generate(f"hard_{lang}", key) for key in keys] for lang in ("en", "ru")},
        "absence_en": [HARDENED.generate("absence_en", key) for key in keys[:60]],
    }


def planted(item: Item) -> set[str]:
    return {error["kind"] for error in item.truth["errors"]}


def document(row: Row, doc_id: str) -> Row:
    found: Row = next(document for document in row["documents"] if document["doc_id"] == doc_id)
    return found


def postings(row: Row, ref: str) -> list[Row]:
    return [entry for entry in row["entries"] if entry["ref"] == ref]


def template(text: str) -> str:
    return re.sub(r"\d+", "9", text)


def by_answer(items: list[Item], kind: str, look: Callable[[Row], Iterator[object]]) -> dict[bool, Counter[object]]:
    """Count what `look` finds, apart for worlds where the kind is planted and where it is not."""
    found: dict[bool, Counter[object]] = {True: Counter(), False: Counter()}
    for item in items:
        found[kind in planted(item)].update(look(item.public))
    assert min(sum(counter.values()) for counter in found.values()) > 20
    return found


@pytest.mark.parametrize("kind", DOCUMENT_OF)
@pytest.mark.parametrize("split", ["hard_en", "hard_ru"])
def test_documents_differ_in_evidence_alone(worlds: dict[str, list[Item]], split: str, kind: str) -> None:
    def look(row: Row) -> Iterator[object]:
        one = document(row, DOCUMENT_OF[kind])
        fact = EVIDENCE.get(kind)
        body = fact.sub("fact", one["body"]) if fact else one["body"]
        yield one["kind"], one["date"], one["title"], tuple(one["meta"]), template(body)

    found = by_answer(worlds[split], kind, look)
    assert set(found[True]) == set(found[False])
    assert len(found[True]) == 1


@pytest.mark.parametrize("kind", DOCUMENT_OF)
def test_bodies_have_the_same_lines_and_labels(worlds: dict[str, list[Item]], kind: str) -> None:
    def look(row: Row) -> Iterator[object]:
        lines = document(row, DOCUMENT_OF[kind])["body"].split("\n")
        yield tuple(line.partition(":")[0] if ":" in line else "" for line in lines)

    found = by_answer(worlds["hard_en"], kind, look)
    assert {template(str(labels)) for labels in found[True]} == {template(str(labels)) for labels in found[False]}


def test_the_exchange_rate_notice_tells_nothing(worlds: dict[str, list[Item]]) -> None:
    def look(row: Row) -> Iterator[object]:
        body = document(row, "FX-202611")["body"]
        first, second = (round(100 * float(rate)) for rate in re.findall(r"\d+\.\d\d", body))
        yield template(body), 150 <= second - first < 450

    found = by_answer(worlds["hard_en"], "fx_revaluation", look)
    assert set(found[True]) == set(found[False])
    assert {rises for _, rises in found[True]} == {True}  # type: ignore[misc]


@pytest.mark.parametrize("kind", DOCUMENT_OF)
def test_first_postings_differ_in_accounts_alone(worlds: dict[str, list[Item]], kind: str) -> None:
    def look(row: Row) -> Iterator[object]:
        for entry in postings(row, DOCUMENT_OF[kind])[:1]:
            yield entry["date"], entry["source"], entry["memo"], len(entry["lines"])

    found: dict[bool, Counter[object]] = {True: Counter(), False: Counter()}
    for item in worlds["hard_en"]:
        found[kind in planted(item)].update(look(item.public))
    if found[True]:
        assert set(found[True]) == set(found[False])
    else:  # the missing posting is the error
        assert kind in ("unrecorded_invoice", "unrecorded_bank_fee", "intercompany_mismatch")


def test_either_wording_of_the_audit_posting_comes_first(worlds: dict[str, list[Item]]) -> None:
    def look(row: Row) -> Iterator[object]:
        first, *second = postings(row, "AUD-114")
        yield first["memo"]
        assert all(entry["memo"] != first["memo"] for entry in second)

    found = by_answer(worlds["hard_en"], "duplicate_invoice", look)
    for counter in found.values():
        assert len(counter) == 2
        assert min(counter.values()) > 0.3 * sum(counter.values())


@pytest.mark.parametrize("kind", DOCUMENT_OF)
def test_amounts_are_drawn_from_one_range(worlds: dict[str, list[Item]], kind: str) -> None:
    def look(row: Row) -> Iterator[object]:
        one = document(row, DOCUMENT_OF[kind])
        text = one["meta"].get("amount") or one["meta"].get("amount_eur") or re.findall(r"\d+\.\d\d", one["body"])[-1]
        yield int(text.removesuffix(".00"))

    found = by_answer(worlds["hard_en"], kind, look)
    possible = RANGES[kind]
    for counter in found.values():
        values = sorted(counter)  # type: ignore[type-var]
        assert set(values) <= set(possible)
        width = possible[-1] - possible[0]
        assert values[0] - possible[0] <= width / 10  # type: ignore[operator]
        assert possible[-1] - values[-1] <= width / 10  # type: ignore[operator]


def test_document_ledger_and_meta_agree(worlds: dict[str, list[Item]]) -> None:
    """An amount that was drawn again was changed everywhere."""
    for item in worlds["hard_en"] + worlds["absence_en"]:
        for doc_id in (
            "SUB-202611-1",
            "AUD-114",
            "HW-7781",
            "SW-900",
            "ADV-51",
            "AR-77",
            "IC-202611",
            "QB-88",
            "PT-55",
        ):
            one = document(item.public, doc_id)
            assert one["meta"]["amount"] in one["body"]
            for entry in postings(item.public, doc_id):
                assert {entry["lines"][0]["debit"], entry["lines"][1]["credit"]} == {one["meta"]["amount"]}


def test_an_absence_world_looks_like_a_hard_one(worlds: dict[str, list[Item]]) -> None:
    def look(items: list[Item]) -> dict[str, set[object]]:
        found: defaultdict[str, set[object]] = defaultdict(set)
        for item in items:
            for one in item.public["documents"]:
                found[one["doc_id"]].add((one["date"], one["title"], tuple(one["meta"]), template(one["body"])))
        return found

    hard, absence = look(worlds["hard_en"]), look(worlds["absence_en"])
    assert hard.keys() == absence.keys()
    assert all(absence[doc_id] <= hard[doc_id] for doc_id in hard)
    refs = {entry["ref"] for item in worlds["absence_en"] for entry in item.public["entries"]}
    assert refs == {entry["ref"] for item in worlds["hard_en"] for entry in item.public["entries"]}


def test_draws_depend_on_the_key_alone() -> None:
    assert draw("hard", "a") == draw("hard", "a")
    assert len({draw(mode, key).capital for mode in ("hard", "absence") for key in ("a", "b", "c")}) == 6


def test_both_languages_have_every_text_and_fill_in_the_same_facts() -> None:
    assert TEXTS["en"].keys() == TEXTS["ru"].keys()
    month = {"mon", "m", "y"}  # how a month is written is the language's own business
    for key, english in TEXTS["en"].items():
        fields = [set(re.findall(r"\{(\w+)", text)) - month for text in (english, TEXTS["ru"][key])]
        assert fields[0] == fields[1]
        assert english.count("\n") == TEXTS["ru"][key].count("\n")
