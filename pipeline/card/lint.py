"""Checks a rendered card offline, by the rules that the Hub and its readers would break on later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from pipeline.build.manifest import CARD, MANIFEST, SUMS, Manifest
from pipeline.card.canary import canary
from pipeline.card.header import parquet_paths
from pipeline.errors import CardInvalid
from pipeline.families.base import Family

LICENCES = frozenset({"mit", "apache-2.0", "cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "odc-by"})
LANGUAGES = frozenset({"en", "ru"})
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "n>1M")
MAX_HEADER_BYTES = 64_000
NAME = re.compile(r"[a-z0-9_]+")

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def lint_card(card: str, family: Family, manifest: Manifest) -> None:
    """Check a card.

    Args:
        card: the text of README.md.
        family: its family.
        manifest: the manifest of the release that it describes.

    Raises:
        CardInvalid: naming the first line that breaks a rule, the rule, and how many more there are.
    """
    problems = list(find_problems(card, family, manifest))
    if problems:
        line, message = problems[0]
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        raise CardInvalid(f"{CARD} of {family.name}, line {line}: {message}{more}; correct the card's parts")


def find_problems(card: str, family: Family, manifest: Manifest) -> Iterator[tuple[int, str]]:
    """Yield every broken rule with the line that it shows in."""
    import yaml

    found = re.match(r"---\n(.*?\n)---\n", card, re.DOTALL)
    if not found:
        yield 1, "the card does not begin with a YAML header between two lines ---"
        return
    text = found[1]
    if len(text.encode()) > MAX_HEADER_BYTES:
        yield 1, f"the header has {len(text.encode())} bytes; the Hub takes little more than {MAX_HEADER_BYTES}"
    try:
        header = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        yield (mark.line + 2 if mark else 1), f"the header is no YAML: {' '.join(str(error).split())[:120]}"
        return
    if not isinstance(header, dict):
        yield 1, "the header is no mapping"
        return
    lines = _Lines(card)
    yield from _check_types(header, lines)
    yield from _check_words(header, lines)
    if "configs" in header or "parquet" in manifest.formats:
        yield from _check_configs(header, family, manifest, lines)
        yield from _check_info(header, family, manifest, lines)
    yield from _check_body(card, found.end(), family, manifest, lines)


class _Lines:
    """Finds the line of a text in the card."""

    def __init__(self, card: str) -> None:
        self._card = card

    def of(self, text: object, start: int = 0) -> int:
        place = self._card.find(str(text), start)
        return self._card.count("\n", 0, max(place, 0)) + 1


def _check_types(value: Any, lines: _Lines, path: str = "") -> Iterator[tuple[int, str]]:
    """Only text, whole numbers, truth values, lists and mappings: readers differ in what they make of anything else."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                yield lines.of(key), f"the key {key!r} of {path or 'the header'} is not text"
            yield from _check_types(item, lines, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _check_types(item, lines, f"{path}[]")
    elif not isinstance(value, str | int):
        yield lines.of(path.rpartition(".")[2].removesuffix("[]")), f"{path} is {value!r}, of a type that is not plain"
    elif value == "json" and path.endswith("dtype"):
        yield lines.of("dtype: json"), "a column of type json fails to load before datasets 4.7"


def _check_words(header: Mapping[str, Any], lines: _Lines) -> Iterator[tuple[int, str]]:
    if header.get("license") not in LICENCES:
        yield lines.of("license:"), f"license {header.get('license')!r} is not one of {', '.join(sorted(LICENCES))}"
    languages = header.get("language")
    if not isinstance(languages, list) or not languages or not set(map(str, languages)) <= LANGUAGES:
        yield lines.of("language:"), f"language {languages!r} is not a list of {', '.join(sorted(LANGUAGES))}"
    sizes = header.get("size_categories")
    if not isinstance(sizes, list) or len(sizes) != 1 or sizes[0] not in SIZES:
        yield lines.of("size_categories:"), f"size_categories {sizes!r} is not one of {', '.join(SIZES)}"
    if not header.get("pretty_name"):
        yield 1, "pretty_name is missing"
    if not isinstance(header.get("tags"), list):
        yield lines.of("tags:"), "tags is not a list"


def _check_configs(
    header: Mapping[str, Any], family: Family, manifest: Manifest, lines: _Lines
) -> Iterator[tuple[int, str]]:
    configs = header.get("configs")
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        yield lines.of("configs:"), "configs is not a list of mappings"
        return
    names = [str(config.get("config_name")) for config in configs]
    for name in names:
        if not NAME.fullmatch(name):
            yield lines.of(f"config_name: {name}"), f"config name {name!r} is not of a-z, 0-9 and _"
    if names != list(family.configs) or [c.get("default") for c in configs].count(True) != 1:
        yield lines.of("configs:"), f"configs are {', '.join(names)}, one of them default; not as in the manifest"
        return
    for config in configs:
        name = config["config_name"]
        files = {str(entry.get("split")): entry.get("path") for entry in config.get("data_files", [])}
        for split in files:
            if not NAME.fullmatch(split):
                yield lines.of(f"split: {split}"), f"split name {split!r} is not of a-z, 0-9 and _"
        wanted: dict[str, Any] = {}
        for split in manifest.configs[name]:
            paths = parquet_paths(name, split, manifest)
            wanted[split] = paths[0] if len(paths) == 1 else paths
        if files != wanted:
            yield lines.of(f"config_name: {name}"), f"data_files of {name} are not the Parquet files of the manifest"


def _check_info(
    header: Mapping[str, Any], family: Family, manifest: Manifest, lines: _Lines
) -> Iterator[tuple[int, str]]:
    infos = header.get("dataset_info")
    start = "dataset_info:"
    if not isinstance(infos, list) or [info.get("config_name") for info in infos] != list(family.configs):
        yield lines.of(start), "dataset_info does not have the configs of the manifest"
        return
    for info in infos:
        name = info["config_name"]
        found = {
            split.get("name"): (split.get("num_examples"), split.get("num_bytes")) for split in info.get("splits", [])
        }
        wanted = {split: (rows.rows, rows.bytes) for split, rows in manifest.configs[name].items()}
        if found != wanted:
            yield lines.of(start), f"dataset_info of {name} counts {found}; the manifest says {wanted}"


def _check_body(card: str, start: int, family: Family, manifest: Manifest, lines: _Lines) -> Iterator[tuple[int, str]]:
    body = card[start:]
    known = {file.path for file in manifest.files} | {MANIFEST, SUMS}
    anchors = {_anchor(heading) for heading in _HEADING.findall(body)}
    for link in _LINK.findall(body):
        address = urlsplit(link)
        if link.startswith("#"):
            good = link[1:] in anchors
        elif address.scheme:
            good = address.scheme == "https" and "." in address.netloc
        else:
            good = address.path in known
        if not good:
            yield lines.of(f"({link})", start), f"the link {link} leads nowhere"
    if canary(family.name) not in body:
        yield 1, "the canary is missing"
    for splits in manifest.configs.values():
        for rows in splits.values():
            if rows.rows_sha256 not in body:
                yield 1, f"the SHA-256 {rows.rows_sha256} is missing"
    pin = f'revision="v{manifest.data_version}"'
    for example in _PYTHON.findall(body):
        for call in re.findall(r"load_dataset\(([^)]*)\)", example):
            if pin not in call:
                yield lines.of(call, start), f"an example loads without {pin}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
