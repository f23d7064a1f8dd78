"""What the Hub says about the metadata of a ``README.md``.

The standard library reads no YAML, so this is a sample of the real check: enough to rehearse a warning and a refusal.
"""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)


def check_card(content: str) -> tuple[list[str], list[str]]:
    """Return the errors and the warnings for the text of a card."""
    match = _FRONT_MATTER.match(content)
    if match is None or not match[1].strip():
        return [], ["empty or missing yaml metadata in repo card"]
    errors = []
    for number, line in enumerate(match[1].splitlines(), start=2):
        if line.startswith("\t"):
            errors.append(f"line {number}: YAML allows no tab as indentation")
        if "!!python/" in line:
            errors.append(f"line {number}: unknown tag !!python")
    return errors, []
