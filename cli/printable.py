"""Text from hosts is untrusted: control characters in a name or message must not control the terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """`text` with control characters escaped (`\\x1b`), except line feeds and tabs."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)
