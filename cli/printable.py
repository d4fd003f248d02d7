"""What hosts say is not ours: a name or a message with control characters must not steer the reader's terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """`text` with every control character, but line ends and tabs, as `\\x1b`."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)
