"""The audit of the published closebench rows gives the figures that are stated of them."""

from __future__ import annotations

import json

import pytest

from pipeline.audit.claims import Checked, check_claims
from pipeline.audit.floors import Floor, measure_floors
from pipeline.audit.identity import search_seeds
from pipeline.audit.probe import run_probe
from pipeline.audit.report import as_json
from pipeline.audit.rows import Rows, pools, published_rows
from pipeline.audit.run import Audit
from pipeline.audit.shortcuts import Hits, associate, count_rules
from pipeline.audit.tables import tables
from pipeline.families.audit_plan import AuditPlan
from pipeline.families.base import Item


def quiet(done: int, total: int) -> None:
    """Show nothing."""


@pytest.fixture(scope="module")
def rows() -> Rows:
    return published_rows("closebench", None, quiet)


@pytest.fixture(scope="module")
def plan(rows: Rows) -> AuditPlan:
    return rows.family.audit_plan()


@pytest.fixture(scope="module")
def claims(rows: Rows, plan: AuditPlan) -> dict[str, Checked]:
    return {claim.name: claim for claim in check_claims(rows, plan, quiet)}


@pytest.fixture(scope="module")
def hits(rows: Rows, plan: AuditPlan) -> list[Hits]:
    return count_rules(plan, pools(rows, plan), quiet)


@pytest.fixture(scope="module")
def floors(rows: Rows, plan: AuditPlan) -> list[Floor]:
    english = Rows(rows.family, rows.data_version, {"en": rows.splits["en"]}, published=False)
    return measure_floors(english, plan, quiet)


def test_locales_are_two_pools_of_the_same_worlds(rows: Rows, plan: AuditPlan) -> None:
    english, russian = pools(rows, plan)
    assert (english.splits, russian.splits) == (("en",), ("ru",))
    assert english.worlds == russian.worlds
    assert len(set(english.worlds)) == 100


@pytest.mark.parametrize(
    ("claim", "broken", "breaks"),
    [
        ("effect", 8, 8),
        ("pair and amount, ordered", 0, 0),
        ("pair and amount, unordered", 24, 24),
        ("gap month", 64, 74),
        ("gap range", 0, 0),
        ("outside the period", 200, 200),
        ("compound entry", 200, 200),
        ("distractors", 0, 0),
        ("nothing revealed", 100, 100),
        ("truth amounts", 0, 0),
        ("truth decimals", 70, 86),
    ],
)
def test_a_claim_is_broken_by_so_many_rows(claims: dict[str, Checked], claim: str, broken: int, breaks: int) -> None:
    assert (len(claims[claim].broken_rows), len(claims[claim].breaks)) == (broken, breaks)


def test_the_four_phantom_worlds_are_named(claims: dict[str, Checked]) -> None:
    phantoms = [f"{lang}-{seed}" for lang in ("en", "ru") for seed in (31, 1018, 1032, 1042)]
    assert list(claims["effect"].broken_rows) == phantoms
    assert all("E16 accrual_not_released" in text for _, text in claims["effect"].breaks)


def test_every_other_claim_holds(claims: dict[str, Checked]) -> None:
    fail = {"effect", "pair and amount, unordered", "gap month", "outside the period", "compound entry"}
    assert {claim.name for claim in claims.values() if claim.binding and claim.breaks} == fail | {"nothing revealed"}
    assert {"SHA-256", "kinds", "errors in all", "example", "oracle", "trial balance", "cash", "inventory"} <= set(
        claims
    )


RULES = {
    "document order": (226, 226),
    "entry order": (184, 184),
    "a line that only one body has": (62, 62),
    "meta of the intercompany e-mail": (21, 21),
    "source of the equipment entry": (26, 26),
    "a ref that ends in -R": (22, 22),
    "licence of 50,000 or more": (24, 24),
    "facts in a document": (117, 117),
    "document against ledger": (130, 130),
    "missing month in a series": (375, 379),
}


def test_rules_hit_as_often_as_stated_and_never_wrongly(plan: AuditPlan, hits: list[Hits]) -> None:
    for pool in ("en", "ru"):
        for rule, counts in RULES.items():
            its = [one for one in hits if (one.rule.name, one.pool) == (rule, pool)]
            assert (sum(one.hits for one in its), sum(one.planted for one in its)) == counts
            assert not any(one.false for one in its)
            assert all(one.better for one in its)
    (released,) = [one for one in hits if one.kind == "accrual_not_released" and one.pool == "en"]
    assert (released.hits, released.planted) == (60, 64)
    assert {rule.name for rule in plan.rules if rule.nature == "artefact"} == set(list(RULES)[:7])


def test_the_number_of_entries_goes_with_the_number_of_errors(rows: Rows, plan: AuditPlan) -> None:
    found = {(one.pool, one.stratum): (one.right, one.base, one.rows) for one in associate(plan, pools(rows, plan))}
    assert found["en", "hard"] == found["ru", "hard"] == (24, 18, 50)
    assert found["en", "absence"] == (40, 18, 50)


def test_the_order_is_the_one_that_the_agent_is_shown(rows: Rows, plan: AuditPlan) -> None:
    from pipeline.reading import gradeable_world

    tools = pytest.importorskip("closebench.tools")
    item: Item = rows.splits["en"][0]
    session = tools.Session(gradeable_world(item.public, item.truth))
    listed = [line.split(" | ")[0] for line in session.list_documents().splitlines()]
    assert listed == [document["doc_id"] for document in item.public["documents"]]
    start = item.public["period"]["start"]
    printed = [line.split(" | ")[0] for line in session.journal().splitlines()]
    assert printed == [entry["eid"] for entry in item.public["entries"] if entry["date"] >= start]


def test_the_probe_finds_what_has_an_artefact(rows: Rows, plan: AuditPlan) -> None:
    """The positive control; with one locale and fewer tests, fewer shuffles let a kind pass the same level."""
    findings = run_probe(plan, pools(rows, plan)[:1], None, quiet)
    found = {one.kind: one for one in findings if one.found}
    for kind in ("unrecorded_invoice", "capex_expensed", "intercompany_mismatch"):
        assert found[kind].reached > 0.95
    assert "keys of meta" in " ".join(found["intercompany_mismatch"].strongest)
    assert "missing_recurring" not in found
    assert len(findings) == 17 + 6


FLOORS = {
    ("hard", "empty"): (0, 0),
    ("hard", "document order, amounts from documents"): (0.604, 1),
    ("hard", "six absence kinds, amounts off the books"): (0.100, 0),
    ("hard", "short legitimate script"): (0.997, 49),
    ("hard", "constant entry x5"): (0.676, 0),
    ("hard", "constant entry x8"): (0.918, 18),
    ("hard", "oracle"): (1, 50),
    ("absence", "empty"): (0, 0),
    ("absence", "document order, amounts from documents"): (0, 0),
    ("absence", "six absence kinds, amounts off the books"): (0.883, 14),
    ("absence", "short legitimate script"): (0.989, 47),
    ("absence", "constant entry x5"): (0.915, 18),
    ("absence", "constant entry x8"): (0.700, 0),
    ("absence", "oracle"): (1, 50),
}


def test_floors_are_those_stated(floors: list[Floor]) -> None:
    by_name = {(one.stratum, one.answer, one.grader): one for one in floors}
    assert {key[:2] for key in by_name} == set(FLOORS)
    for (stratum, answer), (mean, passed) in FLOORS.items():
        one = by_name[stratum, answer, "published"]
        assert (round(one.mean, 3), one.passed, one.rows) == (mean, passed, 50)
        assert one.mean_interval[0] <= one.mean <= one.mean_interval[1]
        assert one.pass_interval[0] <= passed / 50 <= one.pass_interval[1]
    for answer in ("constant entry x5", "constant entry x8"):
        assert by_name["hard", answer, "strict"].maximum == 0
    assert by_name["hard", "short legitimate script", "strict"].passed == 50


def test_every_row_gives_its_seed_away(rows: Rows, plan: AuditPlan) -> None:
    (english,) = search_seeds(rows, plan, 1_200, quiet)
    assert (english.split, english.rows, english.found, english.within) == ("en", 100, 100, 100)
    assert "no hold-out" in english.meaning


def test_the_tables_show_what_done_means(
    rows: Rows, claims: dict[str, Checked], hits: list[Hits], floors: list[Floor]
) -> None:
    audit = Audit(rows, claims=list(claims.values()), hits=hits, floors=floors)
    shown = {table.title.split(":")[0]: [" ".join(map(str, row)) for row in table.rows] for table in tables(audit)}
    assert any("en-31 en-1018 en-1032 en-1042" in line for line in shown["Claims"])
    assert "document order artefact all 226/226, 0/774 226/226, 0/774  " in shown["Shortcuts"]
    assert "entry order artefact all 184/184, 0/616 184/184, 0/616  " in shown["Shortcuts"]
    assert any("constant entry x8 published 0.918" in line and "18/50" in line for line in shown["Floors"])
    json.dumps(as_json(audit))
