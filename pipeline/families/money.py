"""Amounts as integer cents, and their one text form."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"(-?)(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,2}))?", re.ASCII)


def format_cents(cents: int) -> str:
    """Write cents as a decimal string with exactly two decimals; zero has no sign."""
    sign = "-" if cents < 0 else ""
    units, rest = divmod(abs(cents), 100)
    return f"{sign}{units}.{rest:02d}"


def parse_cents(literal: str) -> int | None:
    """Read an amount that an agent wrote, in cents; None if it is not one.

    At most two decimals and fifteen digits before them, no exponent, plus sign, separator, padding or
    currency sign: ``5``, ``5.1`` and ``-0.00`` are amounts, ``1e3``, ``+1`` and ``1,000.00`` are not.
    """
    found = _LITERAL.fullmatch(literal)
    if not found:
        return None
    sign, units, decimals = found.groups()
    cents = int(units) * 100 + int((decimals or "").ljust(2, "0"))
    return -cents if sign else cents
