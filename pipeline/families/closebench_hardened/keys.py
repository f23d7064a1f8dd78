"""What an item is derived from: a text, and by SHA-256 of it the row's id and the seed of the package's world.

The seed has 256 bits, so that no search over seeds finds the world of a row. A public edition is derived from a
published text and can be proved by anybody; a hold-out is derived from a secret one.
"""

from __future__ import annotations

import hashlib

from pipeline.errors import UsageError
from pipeline.families.base import Key
from pipeline.seeds import MAX_SEED

EDITION = "closebench_hardened: the public edition, first series"
"""The published text. It names the rows, so it outlives versions that change no row."""

_NAMESPACE = "closebench_hardened"


def key_text(key: Key) -> str:
    """Return the text that an item is derived from: the key itself, or for an integer the published text with it.

    Raises:
        UsageError: the integer is outside 0 … 2^63-1, or the text is empty or no Unicode.
    """
    if isinstance(key, int):
        if not 0 <= key <= MAX_SEED:
            raise UsageError(f"seed {key} is not within 0 … 2^63-1; use another one")
        return f"{EDITION}/{key}"
    try:
        key.encode()
    except UnicodeEncodeError:
        raise UsageError("the key is not valid Unicode text; use another one") from None
    if not key:
        raise UsageError("the key is an empty text, which anybody would guess; use another one")
    return key


def row_id(mode: str, lang: str, text: str) -> str:
    """Name a row: the language, then 64 bits of a digest that both languages of a world share."""
    return f"{lang}-{_digest('id', mode, text)[:16]}"


def package_seed(mode: str, draw: int, text: str) -> str:
    """Derive the seed of the package's world, in hexadecimal.

    Args:
        mode: ``hard`` or ``absence``; worlds of one text have nothing in common across modes.
        draw: 0 for the first world, and so on for as long as one has an error without effect.
        text: from `key_text`.
    """
    return _digest("world", mode, f"{draw}/{text}")


def _digest(*parts: str) -> str:
    return hashlib.sha256("/".join((_NAMESPACE, *parts)).encode()).hexdigest()
