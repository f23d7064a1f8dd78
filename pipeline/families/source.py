"""Says from which source files rows were made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import GeneratorMissing
from pipeline.families.base import Generator

_DISTRIBUTION = "closebench-hub"
_FAMILIES = Path(__file__).parent


def source_sha256(root: Path, files: Iterable[Path]) -> str:
    """Digest source files: the SHA-256 of the text that ``sha256sum`` prints for them, sorted by path.

    Args:
        root: the folder that the paths in that text are relative to.
        files: the files themselves.
    """
    lines = sorted((path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files)
    return hashlib.sha256("".join(f"{digest}  {path}\n" for path, digest in lines).encode()).hexdigest()


def own_generator(family: str, modules: Iterable[str]) -> Generator:
    """Describe a generator that is part of this project.

    Args:
        family: the family's name.
        modules: the modules of its folder that set the rows, and ``../`` ones that they use.

    Raises:
        GeneratorMissing: the project runs without being installed, so that it has no version.
    """
    from importlib import metadata  # slow to import, and only builds need it

    try:
        version = metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise GeneratorMissing(f"{_DISTRIBUTION} is not installed; run: pip install -e .") from None
    files = [(_FAMILIES / family / f"{module}.py").resolve() for module in modules]
    return Generator(_DISTRIBUTION, version, source_sha256(_FAMILIES.parent.parent.resolve(), files))
