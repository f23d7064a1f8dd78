"""The canary string that marks a dataset as benchmark data, to be kept out of training corpora."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5


def canary(family: str) -> str:
    """Return the canary of a family: one GUID for ever, whatever the data version.

    It stands in the card, in the manifest and in the key-value metadata of each Parquet file, never in a row.
    """
    guid = uuid5(NAMESPACE_DNS, f"{family}.closebench-hub")
    return f"closebench-hub benchmark data, not for training corpora; canary GUID {guid}"
