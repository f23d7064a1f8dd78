"""Renders README.md of a release folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline import resources
from pipeline.build.manifest import MANIFEST, SUMS, Manifest
from pipeline.card.canary import canary
from pipeline.card.chart import CHART
from pipeline.card.header import make_header, ordered_configs
from pipeline.card.how_far import how_far
from pipeline.card.lint import lint_card
from pipeline.errors import CannotRun
from pipeline.families.base import Family, Item
from pipeline.reading import read_rows
from pipeline.schema import Schema
from pipeline.scoring.measured import read_measured

TEMPLATE = "card.md.jinja"
STATIC = "card.yaml"


def render_card(folder: Path, family: Family, manifest: Manifest) -> bytes:
    """Render the card of a release folder.

    Args:
        folder: the release folder with its rows; the card itself need not be there.
        family: its family.
        manifest: its manifest.

    Returns:
        The bytes of README.md: always the same for the same rows, template, schemas and measurements.

    Raises:
        CardInvalid: the rendered card breaks a rule; the message has the line.
        CannotRun: a part of the card is missing or cannot be rendered.
    """
    import jinja2
    import yaml

    static = read_static(family)
    schemas = {config: resources.load_schema(family.name, config) for config in family.configs}
    header = make_header(family, static["header"], manifest, schemas)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([resources.card_folder(family.name), resources.card_folder("shared")]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown, and every text in it is ours
    )
    environment.filters.update(number=lambda value: f"{value:,}", size=_size)
    try:
        body = environment.get_template(TEMPLATE).render(_context(folder, family, manifest, schemas, static))
    except jinja2.TemplateError as error:
        raise CannotRun(f"the card of {family.name} cannot be rendered: {error}; correct its template") from None
    text = yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=120)
    body = "\n".join(line.rstrip() for line in body.strip().splitlines())
    card = f"---\n{text}---\n\n{body}\n"
    lint_card(card, family, manifest)
    return card.encode()


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def read_static(family: Family) -> dict[str, Any]:
    """Read the hand-written metadata of a family's card.

    Raises:
        CannotRun: the file is missing or is no YAML.
    """
    import yaml

    path = resources.card_folder(family.name) / STATIC
    try:
        content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise CannotRun(f"cannot read {path}: {error}; restore it") from None
    return content


def _context(
    folder: Path, family: Family, manifest: Manifest, schemas: Mapping[str, Schema], static: Mapping[str, Any]
) -> dict[str, Any]:
    configs = ordered_configs(family, manifest)
    return {
        "family": family,
        "static": static,
        "manifest": manifest,
        "configs": configs,
        "splits": configs[family.public_config],
        "schemas": schemas,
        "facts": family.facts(_items(folder, family, manifest)),
        "far": how_far(family, read_measured(family.name)),
        "chart": CHART,
        "canary": canary(family.name),
        "repo_id": f"<namespace>/{family.name}",
        "revision": f"v{manifest.data_version}",
        "manifest_name": MANIFEST,
        "sums_name": SUMS,
    }


def _items(folder: Path, family: Family, manifest: Manifest) -> Iterator[tuple[str, Item]]:
    for split in ordered_configs(family, manifest)[family.public_config]:
        rows = (read_rows(folder, config, split) for config in family.configs)
        for public, truth in zip(*rows, strict=True):
            yield split, Item(public, truth)
