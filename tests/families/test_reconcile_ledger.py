"""What the generator makes: determinism, keys, the prompt, the independent solver."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

import pipeline
from pipeline.errors import CheckFailed, UsageError
from pipeline.families.base import Item, Key
from pipeline.families.reconcile_ledger import _SOURCES, FAMILY
from pipeline.families.reconcile_ledger.generate import draw
from pipeline.families.reconcile_ledger.invariants import check
from pipeline.families.reconcile_ledger.prompt import TEMPLATE
from pipeline.families.reconcile_ledger.solve import solve

FAMILY_OBJECT = FAMILY()
ROOT = Path(pipeline.__file__).parents[1]

GOLDEN = {
    "scenarios": "240f769aa60bc32efcade266fc95d442243e73ee9a646dd50cbee446dfb78c92",
    "truth": "d20470c148746275a3071da51f1583fee07bfeab63795390f040db52988fc62a",
}
"""SHA-256 of the canonical JSONL of the published seeds. They change with the data version alone."""


def item(key: Key) -> Item:
    return FAMILY_OBJECT.generate("test", key)


def canonical(items: list[Item]) -> dict[str, str]:
    return {
        "scenarios": hashlib.sha256(b"".join(orjson.dumps(one.public) + b"\n" for one in items)).hexdigest(),
        "truth": hashlib.sha256(b"".join(orjson.dumps(one.truth) + b"\n" for one in items)).hexdigest(),
    }


def published() -> list[Item]:
    return [item(seed) for seed in FAMILY_OBJECT.default_seeds["test"]]


def test_published_rows_are_those_of_this_data_version():
    assert FAMILY_OBJECT.data_version == "1.0.0"
    assert canonical(published()) == GOLDEN


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_rows_depend_on_no_hash_seed_locale_or_time_zone(hash_seed: str):
    code = (
        "import hashlib, json; from pipeline.families.reconcile_ledger import FAMILY; f = FAMILY()\n"
        "rows = [[i.public, i.truth] for i in (f.generate('test', k) for k in (1, 2, 'a secret'))]\n"
        "print(hashlib.sha256(json.dumps(rows).encode()).hexdigest())"
    )
    surroundings = {"PYTHONHASHSEED": hash_seed, "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | surroundings, capture_output=True, text=True, check=True
    )
    rows = [[one.public, one.truth] for one in map(item, (1, 2, "a secret"))]
    assert result.stdout.strip() == hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def test_the_order_of_generation_does_not_matter():
    assert [item(seed) for seed in (3, 2, 1)][::-1] == [item(seed) for seed in (1, 2, 3)]


def test_the_source_digest_covers_every_module_that_sets_rows():
    code = (
        "import sys; import pipeline.families.reconcile_ledger.generate as g; g.draw('test', 1)\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('pipeline.families.')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    no_rows = {"__init__", "answers", "base", "facts", "grade", "invariants", "lazy", "shortcuts", "source"}
    loaded = {Path(file).stem for file in result.stdout.split()}
    assert loaded - no_rows == {name.removeprefix("../") for name in _SOURCES}


def test_the_prompt_is_the_seed_documents():
    digest = hashlib.sha256(TEMPLATE.encode()).hexdigest()
    assert digest == "b2f83c7d213c182d726d0b5342a66952ba92440f57ed23e5a66ef81b80450ff0"


def test_the_prompt_is_rendered_with_the_row():
    row = item(1).public
    assert row["prompt"] == TEMPLATE.format(period="2025-01", bank_csv=row["bank_csv"], gl_csv=row["gl_csv"])
    assert 'e.g. [{"txn_id": "BNK-99-0001", "type": "missing_in_gl"}].' in row["prompt"]
    assert row["prompt"].endswith(row["gl_csv"])


@pytest.mark.parametrize(
    ("seed", "row_id", "period"),
    [
        (0, "reconcile-00", "2026-12"),
        (1, "reconcile-01", "2025-01"),
        (12, "reconcile-12", "2025-12"),
        (24, "reconcile-24", "2026-12"),
        (25, "reconcile-25", "2025-01"),
        (100, "reconcile-100", "2025-04"),
        (2**63 - 1, "reconcile-9223372036854775807", "2025-07"),
    ],
)
def test_names_and_month_follow_from_the_seed(seed: int, row_id: str, period: str):
    one = item(seed)
    assert (one.public["id"], one.public["period"], one.public["seed"]) == (row_id, period, seed)
    assert list(one.public) == ["id", "seed", "period", "bank_csv", "gl_csv", "prompt"]
    assert list(one.truth) == ["id", "seed", "discrepancies"]
    assert FAMILY_OBJECT.row_id(one.public) == FAMILY_OBJECT.row_id(one.truth) == row_id
    assert one.public["bank_csv"].split("\n")[1].startswith(f"BNK-{seed:02d}-0001,")


@pytest.mark.parametrize("key", ["", "1", "a secret text", "BNK-01-0001", "月次決算", "x" * 10_000])
def test_a_secret_text_makes_a_row_without_seed_that_does_not_reveal_it(key: str):
    one = item(key)
    assert list(one.public) == ["id", "period", "bank_csv", "gl_csv", "prompt"]
    assert list(one.truth) == ["id", "discrepancies"]
    assert re.fullmatch(r"reconcile-h[0-9a-f]{16}", one.public["id"])
    if len(key) > 1 and key != "BNK-01-0001":
        assert key not in json.dumps([one.public, one.truth], ensure_ascii=False)
    assert solve(one.public) == one.truth
    assert item(key) == one


def test_a_text_and_a_seed_written_alike_are_different_keys():
    assert item("1").public["bank_csv"] != item(1).public["bank_csv"]
    assert len({item(f"text {number}").public["period"] for number in range(30)}) > 10


def test_no_two_rows_are_alike():
    def nameless(seed: int) -> bytes:
        row = item(seed).public
        tag = row["id"].removeprefix("reconcile-")
        return orjson.dumps([re.sub(rf"(BNK|GL)-{tag}-", "", row[key]) for key in ("bank_csv", "gl_csv")])

    seeds = [*range(200), *(2**63 - 1 - number for number in range(50))]
    assert len({nameless(seed) for seed in seeds}) == len(seeds)


@pytest.mark.parametrize("start", [0, 10_000, 2**62])
def test_the_solver_finds_the_truth_from_the_public_row_alone(start: int):
    for seed in range(start, start + 100):
        one = item(seed)
        assert solve(one.public) == one.truth


def test_the_solver_finds_the_truth_of_the_published_rows():
    assert [solve(one.public) for one in published()] == [one.truth for one in published()]


def test_the_solver_shares_nothing_with_the_generator():
    source = (Path(pipeline.__file__).parent / "families/reconcile_ledger/solve.py").read_text(encoding="utf-8")
    assert "pipeline" not in source


def test_the_solver_refuses_rows_that_do_not_fit_the_task():
    row = item(1).public
    without_first = row["bank_csv"].split("\n")
    ref = row["gl_csv"].split("\n")[1].split(",")[1]
    orphan = "\n".join(line for line in without_first if ref not in line)
    with pytest.raises(ValueError, match="ledger rows without a bank transaction"):
        solve(row | {"bank_csv": orphan})
    ledger = row["gl_csv"].split("\n")
    cells = ledger[1].split(",")
    twice = ",".join([cells[0], cells[1], "1999-01-01", "1.23", "both wrong"])
    with pytest.raises(ValueError, match="has several discrepancies"):
        solve(row | {"gl_csv": "\n".join([ledger[0], twice, *ledger[2:]])})


def test_a_broken_scenario_is_refused_with_its_name_and_the_rule():
    scenario = draw("test", 7)
    with pytest.raises(CheckFailed, match=r"reconcile-07 breaks the rule: there are 12 discrepancies"):
        check(replace(scenario, planted={}))
    stray = scenario.ledger[0]._replace(ref="TRN")
    with pytest.raises(CheckFailed, match="has a bank transaction"):
        check(replace(scenario, ledger=(stray,)))


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_out_of_range_are_refused(seed: int):
    with pytest.raises(UsageError, match="use seeds from 0 to"):
        item(seed)


def test_an_unknown_split_is_refused():
    with pytest.raises(UsageError, match="has no split 'train'; choose from test"):
        FAMILY_OBJECT.generate("train", 1)


def test_secret_texts_are_not_in_the_public_row_and_a_planted_leak_is_caught():
    for key in (*range(1, 16), 99, "text"):
        one = item(key)
        secrets = list(FAMILY_OBJECT.secret_texts(one))
        assert len(secrets) == 12 * 5
        page = json.dumps(one.public)
        assert not any(text in page or text in one.public["prompt"] for text in secrets)
        pair = one.truth["discrepancies"][5]
        for leak in (
            json.dumps(pair),
            json.dumps(pair, separators=(",", ":")),
            FAMILY_OBJECT.oracle(one, "exact"),
            f"{pair['txn_id']},{pair['type']}",
        ):
            spoilt = one.public | {"prompt": one.public["prompt"] + leak}
            assert any(text in json.dumps(spoilt) for text in secrets)
            assert any(text in spoilt["prompt"] for text in secrets)


def test_the_prompts_own_example_is_no_secret():
    one = item(99)
    pairs = [{"txn_id": "BNK-99-0001", "type": "missing_in_gl"}, *one.truth["discrepancies"][1:]]
    secrets = list(FAMILY_OBJECT.secret_texts(Item(one.public, one.truth | {"discrepancies": pairs})))
    assert len(secrets) == 11 * 5
