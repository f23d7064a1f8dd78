"""The dataset card: what it says is true, what it shows runs, and what would break a reader fails the build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest
import yaml
from conftest import ROOT, Outcome, contents

from pipeline import resources
from pipeline.build.assemble import BuildRequest, build_release
from pipeline.build.manifest import read_manifest
from pipeline.card import lint
from pipeline.card.canary import canary
from pipeline.card.header import features_yaml
from pipeline.card.render import render_card
from pipeline.families import FAMILIES, get_family

GOLDENS = Path(__file__).parent / "goldens"


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The published release of every family; treat them as read-only."""
    out = tmp_path_factory.mktemp("releases")
    return {name: build_release(BuildRequest(name, out))[0] for name in FAMILIES}


def header_of(card: str) -> dict[str, Any]:
    """Return the YAML header of a card."""
    header: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return header


def examples_of(card: str) -> list[str]:
    """Return the Python examples of a card."""
    return re.findall(r"^```python\n(.*?)^```$", card, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_card_is_the_same_twice_and_as_it_was(
    releases: dict[str, Path], name: str, request: pytest.FixtureRequest
) -> None:
    folder = releases[name]
    card = (folder / "README.md").read_bytes()
    assert render_card(folder, get_family(name), read_manifest(folder)) == card
    golden = GOLDENS / f"{name}.md"
    if request.config.getoption("--update-goldens"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(card)
    assert card.decode() == golden.read_text(encoding="utf-8"), "run: pytest --update-goldens, and read the difference"


@pytest.mark.parametrize("name", FAMILIES)
def test_the_header_says_what_the_manifest_says(releases: dict[str, Path], name: str) -> None:
    family, manifest = get_family(name), read_manifest(releases[name])
    header = header_of((releases[name] / "README.md").read_text(encoding="utf-8"))
    assert [config["config_name"] for config in header["configs"]] == list(family.configs)
    assert [config.get("default") for config in header["configs"]] == [True, None]
    for config, info in zip(header["configs"], header["dataset_info"], strict=True):
        splits = manifest.configs[config["config_name"]]
        assert [entry["split"] for entry in config["data_files"]] == [split["name"] for split in info["splits"]]
        for entry, split in zip(config["data_files"], info["splits"], strict=True):
            assert (releases[name] / entry["path"]).is_file()
            assert split["num_examples"] == splits[split["name"]].rows
            assert split["num_bytes"] == splits[split["name"]].bytes
        assert info["download_size"] == sum(
            (releases[name] / entry["path"]).stat().st_size for entry in config["data_files"]
        )


@pytest.mark.parametrize("name", FAMILIES)
def test_features_in_the_header_are_those_of_datasets(name: str) -> None:
    for config in get_family(name).configs:
        schema = resources.load_schema(name, config)
        assert datasets.Features._from_yaml_list(features_yaml(schema.root)) == schema.features


@pytest.mark.parametrize("name", FAMILIES)
def test_the_canary_stands_everywhere_but_in_rows(releases: dict[str, Path], name: str) -> None:
    text = canary(name)
    for path, data in contents(releases[name]).items():
        wanted = path in ("README.md", "manifest.json") or path.endswith(".parquet")
        assert (text.encode() in data) == wanted, path


@pytest.mark.parametrize("name", FAMILIES)
def test_the_examples_run(
    releases: dict[str, Path], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = (releases[name] / "README.md").read_text(encoding="utf-8")
    load = datasets.load_dataset

    def load_local(repo_id: str, config: str, split: str, revision: str) -> Any:
        assert (repo_id, revision) == (f"<namespace>/{name}", f"v{get_family(name).data_version}")
        return load(str(releases[name]), config, split=split, cache_dir=str(tmp_path))

    monkeypatch.setattr(datasets, "load_dataset", load_local)
    scope: dict[str, Any] = {}
    examples = examples_of(card)
    definitions = [example for example in examples if "def drop_absent" in example]
    for example in definitions + [example for example in examples if example not in definitions]:
        exec(compile(example, "README.md", "exec"), scope)
    if "result" in scope:
        assert scope["result"]["found"] == ["E3"]
        assert scope["result"]["score"] == 0.143
    else:
        assert scope.get("passed", True) is True
        assert scope.get("score", 1.0) == 1.0


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("streaming", [False, True])
def test_the_release_folder_loads_through_its_card(
    releases: dict[str, Path], name: str, streaming: bool, tmp_path: Path
) -> None:
    family, manifest = get_family(name), read_manifest(releases[name])
    for config in family.configs:
        for split in family.splits:
            rows = datasets.load_dataset(
                str(releases[name]), config, split=split, streaming=streaming, cache_dir=str(tmp_path)
            )
            assert sum(1 for _ in rows) == manifest.configs[config][split].rows
            assert "timestamp" not in str(rows.features)


ALLOWED = re.compile(
    r"\{[{%#].*?[}%#]\}"  # template code
    r"|(?<![\d.,])(?:19|20)\d\d(?:-\d\d-\d\d)?(?![\d.,])"  # years and dates
    r"|\"\d{4}\"|SHA-?256(?:SUMS)?|sha256sum|UTF-8|reconcile\.ledger\.v1"  # account codes and names
    r"|^```.*?^```$"  # examples, which a test runs
    r"|^#+",
    re.DOTALL | re.MULTILINE,
)


@pytest.mark.parametrize("path", sorted((ROOT / "dataset_card").rglob("*.jinja")), ids=lambda path: path.parent.name)
def test_templates_hold_no_number_of_their_own(path: Path) -> None:
    text = ALLOWED.sub("", path.read_text(encoding="utf-8"))
    found = [line for line in text.splitlines() if re.search(r"\d", line)]
    assert found == []


def test_another_locale_zone_umask_and_folder_give_the_same_bytes(tmp_path: Path, releases: dict[str, Path]) -> None:
    env = {"LC_ALL": "C", "TZ": "Pacific/Auckland", "PYTHONHASHSEED": "7", "HOME": str(tmp_path)}
    command = "import os, sys; os.umask(0o077); from pipeline.cli import run; sys.exit(run(sys.argv[1:]))"
    for name in FAMILIES:
        done = subprocess.run(
            [sys.executable, "-c", command, "build", name, "--out", str(tmp_path / "elsewhere")],
            env={**os.environ, **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert contents(tmp_path / "elsewhere" / name) == contents(releases[name])


Change = Callable[[str], str]


def swap(old: str, new: str) -> Change:
    """Return a change of a card that must find what it changes."""

    def change(card: str) -> str:
        assert old in card
        return card.replace(old, new, 1)

    return change


BROKEN: dict[str, tuple[Change, str]] = {
    "no header": (swap("---\n", ""), "does not begin with a YAML header"),
    "bad YAML": (swap("license: mit", "license: [mit"), "the header is no YAML"),
    "a tab": (swap("- en\n", "-\ten: *x\n"), "the header is no YAML"),
    "a Python tuple": (swap("license: mit", "license: !!python/tuple [mit]"), "the header is no YAML"),
    "licence": (swap("license: mit", "license: MIT-ish"), "license 'MIT-ish' is not one of"),
    "language": (swap("- en\n", "- english\n"), "language ['english'"),
    "language as text": (swap("language:\n- en\n- ru\n", "language: en\n"), "language 'en' is not a list"),
    "size": (swap("- n<1K", "- small"), "size_categories ['small']"),
    "a float": (swap("num_examples: 100", "num_examples: 100.0"), "of a type that is not plain"),
    "a date": (swap("- synthetic", "- 2026-11-30"), "of a type that is not plain"),
    "a key that is no text": (swap("license: mit", "license: mit\n1: x"), "is not text"),
    "json column": (swap("dtype: string", "dtype: json"), "type json fails to load"),
    "no name": (
        swap("pretty_name: 'closebench: month-end closes with planted errors'\n", ""),
        "pretty_name is missing",
    ),
    "hyphen in a config": (swap("config_name: worlds", "config_name: wor-lds"), "config name 'wor-lds'"),
    "space in a split": (swap("split: en", "split: e n"), "split name 'e n'"),
    "line end in a split": (swap("- split: en", '- split: "en\\n"'), "split name 'en\\n'"),
    "no default": (swap("  default: true\n", ""), "one of them default"),
    "another file": (swap("worlds/en-00000", "worlds/en-00001"), "data_files of worlds are not"),
    "a count": (swap("num_examples: 100", "num_examples: 101"), "dataset_info of worlds counts"),
    "bytes": (swap("num_bytes: 227526", "num_bytes: 227527"), "dataset_info of truth counts"),
    "an extra split": (
        swap("  splits:\n  - name: en", "  splits:\n  - name: de\n    num_bytes: 1\n    num_examples: 1\n  - name: en"),
        "dataset_info of worlds counts",
    ),
    "a config of an older card": (swap("dataset_info:\n", "dataset_info:\n- config_name: old\n"), "does not have the"),
    "a link": (swap("(manifest.json)", "(manifesto.json)"), "the link manifesto.json leads nowhere"),
    "an insecure link": (swap("(https://github.com", "(http://github.com"), "leads nowhere"),
    "an anchor": (swap("(LICENSE)", "(#nowhere)"), "the link #nowhere leads nowhere"),
    "no canary": (swap("canary GUID", "canary"), "the canary is missing"),
    "a hash": (swap("b4e8f541", "b4e8f542"), "is missing"),
    "no revision": (swap(', revision="v1.0.0")', ")"), 'loads without revision="v1.0.0"'),
    "a huge header": (swap("license: mit\n", "license: mit\nnote: " + "x" * 70_000 + "\n"), "the Hub takes little"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_card_fails_with_its_line(releases: dict[str, Path], rule: str) -> None:
    change, says = BROKEN[rule]
    folder = releases["closebench"]
    card = change((folder / "README.md").read_text(encoding="utf-8"))
    problems = list(lint.find_problems(card, get_family("closebench"), read_manifest(folder)))
    assert any(says in message for _, message in problems), problems
    assert all(1 <= line <= card.count("\n") + 1 for line, _ in problems)


def test_a_broken_template_fails_the_build_and_keeps_the_old_folder(
    hub: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--engine", "serial").code == 0
    before = contents(tmp_path)
    parts = Path(shutil.copytree(ROOT / "dataset_card", tmp_path / "parts"))
    monkeypatch.setattr(resources, "card_folder", lambda name: parts / name)
    template = parts / "closebench" / "card.md.jinja"
    for broken, says in (
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{% if %}", "cannot be rendered"),
        ("[x](y.md)", "the link y.md leads nowhere"),
    ):
        shutil.copy(ROOT / "dataset_card" / "closebench" / "card.md.jinja", template)
        with template.open("a") as file:
            file.write(broken)
        outcome = hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--engine", "serial")
        assert outcome.code in (1, 3)
        assert says in outcome.err
        assert len(outcome.err.splitlines()) == 1
    (parts / "closebench" / "card.yaml").unlink()
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--engine", "serial").code == 3
    shutil.rmtree(parts)
    assert contents(tmp_path) == before


def test_the_command_refreshes_and_checks(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--engine", "serial").code == 0
    before = contents(tmp_path)
    assert hub("card", "closebench", "--out", tmp_path, "--check").code == 0
    (tmp_path / "closebench" / "README.md").write_text("mine\n")
    outcome = hub("card", "closebench", "--out", tmp_path, "--check")
    assert outcome.code == 1
    assert "not what its rows render to" in outcome.out
    assert hub("verify", "closebench", "--out", tmp_path, "--skip", "load").code == 1
    assert hub("card", "closebench", "--out", tmp_path).code == 0
    assert contents(tmp_path) == before
    assert hub("card", f"{tmp_path}/none").code == 3


def test_a_hand_edited_count_fails_the_verification(hub: Callable[..., Outcome], tmp_path: Path) -> None:
    assert hub("build", "closebench", "--out", tmp_path, "--seeds", "1", "--engine", "serial").code == 0
    card = tmp_path / "closebench" / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("num_examples: 1", "num_examples: 2"), encoding="utf-8")
    outcome = hub("verify", "closebench", "--out", tmp_path, "--json")
    assert outcome.code == 1
    findings = [finding for result in json.loads(outcome.out)[0]["results"] for finding in result["findings"]]
    assert any(finding["place"] == "README.md" for finding in findings)


def test_both_languages_score_alike_as_the_card_says() -> None:
    rows = json.loads((resources.card_folder("closebench") / "measured.json").read_bytes())["baselines"]["rows"]
    en, ru = ([{**row, "split": ""} for row in rows if row["split"] == split] for split in ("en", "ru"))
    assert en == ru
    assert en
