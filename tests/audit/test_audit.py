"""The audit on rows made for it: what is planted is found, and what is not there is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Outcome

from pipeline.audit.probe import enough_permutations, run_probe
from pipeline.audit.rows import Pool, Rows
from pipeline.audit.run import run_audit
from pipeline.audit.significance import ALPHA, exact_test, holm
from pipeline.cli.progress import progress
from pipeline.errors import UsageError
from pipeline.families import get_family
from pipeline.families.audit_plan import AuditPlan, Claim, Question, Rule, Subject
from pipeline.families.base import Family, Generator, Grade, Item, Key, Row
from pipeline.families.keyed_random import KeyedRandom
from pipeline.seeds import Seeds


def quiet(done: int, total: int) -> None:
    """Show nothing."""


class Toy(Family):
    """Worlds of a few lines, one of which may be wrong; `leak` puts the answer into the form of the row."""

    name = "closebench"  # one that is listed; the registry is not what is tested here
    title = "toy"
    data_version = "1.0.0"
    public_config = "worlds"
    default_seeds = {"en": Seeds.parse("1-60")}  # noqa: RUF012
    graders = ("exact",)
    empty_answer = ""

    def __init__(self, source: Path | None = None, *, leak: bool = False, broken: bool = False) -> None:
        self.leak, self.broken = leak, broken

    def generator(self) -> Generator:
        return Generator("toy", "1", "0")

    def generate(self, split: str, key: Key) -> Item:
        random = KeyedRandom("toy", split, key)
        wrong = random.chance(1, 2)
        row = {
            "id": f"toy-{key}",
            "amounts": [random.between(100, 999) for _ in range(4)],
            "source": "ap" if self.leak and wrong else random.choice(("ap", "manual", "ar")),
        }
        return Item(public=row, truth={"id": row["id"], "wrong": wrong})

    def row_id(self, row: Row) -> str:
        return str(row["id"])

    def oracle(self, item: Item, grader: str) -> str:
        return str(item.truth["wrong"])

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        right = answer == str(item.truth["wrong"])
        return {"exact": Grade(float(right), right, None if right else "wrong")}

    def secret_texts(self, item: Item) -> Iterator[str]:
        return iter(())

    def audit_plan(self) -> AuditPlan:
        def check(item: Item) -> Iterator[str]:
            if self.broken and item.public["id"] == "toy-7":
                yield "seven is broken"

        def guess(row: Row) -> Iterator[tuple[str, str]]:
            if row["source"] == "ap":
                yield "wrong", ""

        return AuditPlan(
            claims=(Claim("seven", "Seven is whole.", check),),
            questions=lambda item: [Question("wrong", "", item.truth["wrong"])],
            rules=(Rule("source", ("wrong",), "artefact", "The source is drawn alike.", guess),),
            subjects=lambda row: [Subject("", _features(row))],
        )


def _features(row: Row) -> dict[str, Any]:
    amounts = {f"amount {place}": float(amount) for place, amount in enumerate(row["amounts"])}
    return {"source": frozenset([row["source"]]), **amounts}


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[[Family], None]:
    """Put a toy in the place of a family."""

    def put(toy: Family) -> None:
        monkeypatch.setattr("pipeline.audit.rows.get_family", lambda name, source=None: toy)

    return put


def test_a_family_without_artefacts_passes(hub: Callable[..., Outcome], register: Callable[[Family], None]) -> None:
    register(Toy())
    outcome = hub("audit", "closebench", "--section", "shortcuts", "--fail-on", "artefacts", "--json")
    assert outcome.code == 0, outcome.err
    shortcuts = json.loads(outcome.out)["closebench"]["shortcuts"]
    assert shortcuts["artefacts"] == []
    assert shortcuts["rules"][0]["kinds"][0]["planted"] > 20
    assert not shortcuts["probe"][0]["found"]


def test_a_planted_artefact_is_found_by_rule_and_probe(
    hub: Callable[..., Outcome], register: Callable[[Family], None]
) -> None:
    register(Toy(leak=True))
    outcome = hub("audit", "closebench", "--section", "shortcuts", "--fail-on", "artefacts", "--json")
    assert outcome.code == 1
    assert "2 artefacts give something away" in outcome.err
    shortcuts = json.loads(outcome.out)["closebench"]["shortcuts"]
    assert shortcuts["probe"][0]["found"]
    assert shortcuts["probe"][0]["strongest"][0].startswith("source")
    assert shortcuts["rules"][0]["kinds"][0]["better"]


def test_a_broken_claim_fails_when_asked_for(hub: Callable[..., Outcome], register: Callable[[Family], None]) -> None:
    register(Toy(broken=True))
    arguments = ("audit", "closebench", "--section", "claims")
    assert hub(*arguments).code == 0
    outcome = hub(*arguments, "--fail-on", "claims")
    assert outcome.code == 1
    assert "seven" in outcome.err
    assert "toy-7: seven is broken" in outcome.out


def test_the_probe_never_parts_a_world() -> None:
    """Two rows of one world have the same noise; trained on one of them, a probe would know the other."""
    items, worlds = [], []
    for world in range(40):
        random = KeyedRandom("world", world)
        wrong, noise = random.chance(1, 2), random.below(10**6)
        row = {"id": "", "amounts": [noise], "source": f"world {world}"}
        items += [Item(public=row, truth={"wrong": wrong})] * 2
        worlds += [world] * 2
    (finding,) = run_probe(Toy().audit_plan(), [Pool(("en",), items, worlds)], 199, quiet)
    assert finding.reached < 0.7


def test_too_few_shuffles_are_refused(hub: Callable[..., Outcome]) -> None:
    outcome = hub("audit", "accounting_assistant", "--section", "shortcuts", "--permutations", "199")
    assert outcome.code == 2
    assert "use at least 500" in outcome.err


@pytest.mark.parametrize("tests", [1, 46, 200])
def test_enough_permutations_let_the_smallest_p_pass(tests: int) -> None:
    assert tests / (enough_permutations(tests) + 1) < ALPHA


def test_the_exact_test_is_fishers() -> None:
    # The lady tasting tea (Fisher 1935): 3 of 4 cups right have a chance of 17 in 70 or better.
    assert exact_test([(3, 1, 1, 3)]) == pytest.approx(17 / 70)
    assert exact_test([(4, 0, 0, 4)]) == pytest.approx(1 / 70)
    assert exact_test([(4, 0, 0, 4), (4, 0, 0, 4)]) == pytest.approx(1 / 4900)
    assert exact_test([(0, 0, 5, 5), (5, 5, 0, 0)]) == 1


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_a_family_that_declares_nothing_is_refused() -> None:
    class Silent(Toy):
        def audit_plan(self) -> AuditPlan:
            return Family.audit_plan(self)

    toy = Silent()
    rows = Rows(toy, "1.0.0", {"en": [toy.generate("en", 1)]}, published=False)
    with pytest.raises(UsageError, match="declares no rules"):
        run_audit(rows, show_work=progress)


@pytest.mark.parametrize("name", ["accounting_assistant", "reconcile_ledger"])
def test_claims_of_the_other_families_hold(hub: Callable[..., Outcome], name: str) -> None:
    outcome = hub("audit", name, "--section", "claims", "--section", "identity", "--fail-on", "claims", "--json")
    assert outcome.code == 0, outcome.err
    content = json.loads(outcome.out)[name]
    assert len(content["claims"]) > 10
    assert all(one["found"] == one["rows"] for one in content["identity"])


def test_rules_of_the_other_families_read_public_rows_and_evidence_is_right() -> None:
    for name in ("accounting_assistant", "reconcile_ledger"):
        family = get_family(name)
        plan = family.audit_plan()
        split = family.splits[0]
        for seed in (1, 2, 3):
            item = family.generate(split, seed)
            planted = {(one.kind, one.subject) for one in plan.questions(item) if one.planted}
            asked = {(one.kind, one.subject) for one in plan.questions(item)}
            assert planted
            for rule in plan.rules:
                guessed = set(rule.guess(item.public))
                assert guessed <= asked, rule.name
                assert {kind for kind, _ in guessed} <= set(rule.kinds)
                if rule.name in ("ref in one list only", "both tables matched by reference"):
                    assert guessed == {pair for pair in planted if pair[0] in rule.kinds}
            assert {one.subject for one in plan.subjects(item.public)} >= {subject for _, subject in asked}


def test_a_folder_is_audited_like_its_family(hub: Callable[..., Outcome], small_release: Path) -> None:
    outcome = hub("audit", small_release, "--section", "claims", "--json")
    assert outcome.code == 0, outcome.err
    content = json.loads(outcome.out)["closebench"]
    assert content["rows"] == 8
    claims = {claim["name"]: claim for claim in content["claims"]}
    assert claims["effect"]["rows"] == ["en-31", "en-1018", "ru-31", "ru-1018"]
    assert "kinds" not in claims  # a statement about all published rows


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nothing"], 2, "no family"),
        (["./nowhere"], 3, "no folder"),
        (["./tests"], 3, "no release folder"),
        (["closebench", "--section", "taste"], 2, "taste"),
        (["closebench", "--fail-on", "artefacts", "--section", "claims"], 2, "needs the section"),
        (["closebench", "--write", "--json"], 2, "--write"),
        (["closebench", "--write", "--section", "claims"], 2, "--write"),
        (["closebench", "--search", "0"], 2, "--search"),
        (["accounting_assistant", "--src", "x"], 2, "--src"),
        (["closebench", "--src", "nowhere", "--section", "identity"], 3, "closebench"),
        ([], 2, "FAMILY"),
    ],
)
def test_bad_input_is_one_line_and_an_exit_code(
    hub: Callable[..., Outcome], arguments: list[str], code: int, words: str
) -> None:
    outcome = hub("audit", *arguments)
    assert outcome.code == code
    assert words in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert not outcome.out


def test_a_damaged_folder_is_named(hub: Callable[..., Outcome], small_release: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(small_release, copy)
    file = copy / "data" / "truth-en.jsonl"
    file.write_bytes(file.read_bytes().replace(b"E1", b"E2", 1))
    outcome = hub("audit", copy, "--section", "claims")
    assert outcome.code == 1
    assert "truth/en" in outcome.err


def test_without_the_extra_the_section_says_what_to_install(
    hub: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn", None)
    outcome = hub("audit", "accounting_assistant", "--section", "shortcuts")
    assert outcome.code == 3
    assert "closebench-hub[audit]" in outcome.err


def test_writing_keeps_other_keys(
    hub: Callable[..., Outcome],
    register: Callable[[Family], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    register(Toy())
    monkeypatch.setattr("pipeline.resources.card_folder", lambda family: tmp_path)
    (tmp_path / "measured.json").write_text('{"baselines": {"kept": true}}')
    outcome = hub("audit", "closebench", "--write")
    assert outcome.code == 0, outcome.err
    content = json.loads((tmp_path / "measured.json").read_text())
    assert content["baselines"] == {"kept": True}
    assert set(content["audit"]) >= {"claims", "shortcuts", "floors", "identity", "alpha"}
    first = (tmp_path / "measured.json").read_bytes()
    assert hub("audit", "closebench", "--write").code == 0
    assert (tmp_path / "measured.json").read_bytes() == first
