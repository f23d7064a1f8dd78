"""Text that others wrote, such as file names and messages of a server, made safe to print."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return a text as one line that does nothing to a terminal.

    Control, format and separator characters are escaped, and so is what UTF-8 cannot hold.
    """
    text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
