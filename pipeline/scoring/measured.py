"""``dataset_card/<family>/measured.json``: measured figures that the card shows, committed and checked for drift."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline import resources
from pipeline.errors import CheckFailed

BASELINES = "baselines"
"""The key of what `closebench-hub baselines` measures; other keys belong to other commands and are kept."""


def measured_path(family: str) -> Path:
    """Return the file of a family; it need not exist."""
    return resources.card_folder(family) / "measured.json"


def read_measured(family: str) -> dict[str, Any]:
    """Return every measured figure of a family, by key; nothing if there is no file.

    Raises:
        CheckFailed: the file is damaged.
        OSError: it cannot be read.
    """
    path = measured_path(family)
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise CheckFailed(f"{path} is no JSON: {error}; restore it from the repository") from None
    if not isinstance(content, dict):
        raise CheckFailed(f"{path} is no JSON object; restore it from the repository")
    return content


def write_measured(family: str, key: str, value: Any) -> Path:
    """Set one key and keep the others; always the same bytes for the same content.

    Raises:
        CheckFailed: the file that is there is damaged.
        OSError: it cannot be written.
    """
    path = measured_path(family)
    content = {**read_measured(family), key: value}
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
    return path
