"""What ``.gitattributes`` says about a file, and from which size on the Hub does not ask it."""

from __future__ import annotations

import re
from typing import Literal

Mode = Literal["regular", "lfs"]

LARGEST_TEXT = 10_000_000
"""Bytes above which the Hub stores a text as a large file, if ``.gitattributes`` says nothing about it."""


def declared_mode(path: str, attributes: str) -> Mode | None:
    """Return what ``.gitattributes`` says about a path; None if it says nothing."""
    mode: Mode | None = None
    for line in attributes.splitlines():
        pattern, *words = line.split() or ["#"]
        if pattern.startswith("#") or not _matches(pattern, path):
            continue
        for word in words:
            if word.lstrip("-!").partition("=")[0] == "filter":
                mode = "lfs" if word == "filter=lfs" else "regular"
    return mode


_PATTERN_PART = re.compile(r"\[\[:space:\]\]|\\.|\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", re.DOTALL)
_WILDCARDS = {"[[:space:]]": r"\s", "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _matches(pattern: str, path: str) -> bool:
    # Git matches a pattern without a slash against the file's name, in any folder.
    subject = path if "/" in pattern else path.rpartition("/")[2]
    parts = _PATTERN_PART.findall(pattern.removeprefix("/"))
    return re.fullmatch("".join(map(_regex_of, parts)), subject, re.DOTALL) is not None


def _regex_of(part: str) -> str:
    if part in _WILDCARDS:
        return _WILDCARDS[part]
    if len(part) > 1 and part.startswith("["):
        return part.replace("[!", "[^", 1)
    return re.escape(part[-1])
