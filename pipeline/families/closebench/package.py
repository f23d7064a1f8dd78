"""Finds the package closebench, installed or as a checkout, and refuses any version but the one that was pinned."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.errors import GeneratorMissing

VERSION = "0.1.1"
"""The version whose rows have the published SHA-256."""

_MODULES = ("world", "ledger", "tools", "grader", "cli")


@dataclass(frozen=True)
class Package:
    """The parts of closebench that the family uses.

    Attributes:
        folder: the folder of the package's modules.
        world, ledger, tools, grader: its modules of these names.
        mode_for: the package's rule from seed to mode.
    """

    folder: Path
    world: Any
    ledger: Any
    tools: Any
    grader: Any
    mode_for: Callable[[int], str]


@lru_cache(maxsize=4)
def load(source: Path | None = None) -> Package:
    """Import closebench.

    Args:
        source: a checkout whose root, or ``src/``, holds the folder ``closebench``; None for the installed package.

    Raises:
        GeneratorMissing: nothing there, or another version.
    """
    if source is None:
        return _import("installed")
    for root in (source, source / "src"):
        if (root / "closebench" / "__init__.py").is_file():
            with _only_from(root.resolve()):
                return _import(f"in {source}")
    raise GeneratorMissing(f"--src {source} has no folder closebench in it; give the root of a closebench checkout")


def _import(where: str) -> Package:
    install = f"run: pip install closebench=={VERSION}"
    try:
        found = importlib.import_module("closebench")
    except ModuleNotFoundError as error:
        if error.name != "closebench":
            raise
        raise GeneratorMissing(f"closebench {VERSION} is needed and none is installed; {install}") from None
    version = getattr(found, "__version__", "without a version")
    if version != VERSION:
        raise GeneratorMissing(f"closebench {VERSION} is needed and {version} was found {where}; {install}")
    modules = {name: importlib.import_module(f"closebench.{name}") for name in _MODULES}
    mode_for = modules.pop("cli").mode_for
    return Package(folder=Path(str(found.__file__)).parent, mode_for=mode_for, **modules)


@contextmanager
def _only_from(root: Path) -> Iterator[None]:
    """Import closebench from `root` without leaving it in ``sys.modules``, where it would shadow the installed one."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "closebench"}
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))
        for name in [name for name in sys.modules if name.partition(".")[0] == "closebench"]:
            del sys.modules[name]
        sys.modules.update(before)
