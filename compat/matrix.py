"""The readers under proof: one line each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent / "requirements"


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader at one version.

    Attributes:
        name: names its venv and its pins, ``compat/requirements/<name>.txt``.
        package: the distribution whose version counts, and the heading of its snippet in ``docs/loading.md``.
        module: the module of `compat.readers` that reads with it.
        modes: the ways of reading that the module offers.
    """

    name: str
    package: str
    module: str
    modes: tuple[str, ...]

    @property
    def requirements(self) -> Path:
        """The file with its pins."""
        return REQUIREMENTS / f"{self.name}.txt"


READERS = (
    Reader("datasets-2.21", "datasets", "hf_datasets", ("plain", "streaming")),
    Reader("datasets-3.6", "datasets", "hf_datasets", ("plain", "streaming")),
    Reader("datasets-4.4", "datasets", "hf_datasets", ("plain", "streaming")),
    Reader("datasets-current", "datasets", "hf_datasets", ("plain", "streaming")),
    Reader("polars", "polars", "polars_frame", ("eager", "lazy")),
    Reader("duckdb", "duckdb", "duckdb_table", ("plain",)),
    Reader("pandas", "pandas", "pandas_frame", ("numpy", "arrow")),
)


def get_reader(name: str) -> Reader:
    """Return the reader of a name.

    Raises:
        KeyError: there is none.
    """
    return {reader.name: reader for reader in READERS}[name]
