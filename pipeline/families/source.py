"""The digest that says from which source files rows were made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def source_sha256(root: Path, files: Iterable[Path]) -> str:
    """Digest source files: the SHA-256 of the text that ``sha256sum`` prints for them, sorted by path.

    Args:
        root: the folder that the paths in that text are relative to.
        files: the files themselves.
    """
    lines = sorted((path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files)
    return hashlib.sha256("".join(f"{digest}  {path}\n" for path, digest in lines).encode()).hexdigest()
