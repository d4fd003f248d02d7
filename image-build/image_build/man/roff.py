"""The man(7) macros of our pages, and escaping for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}


def escaped(text: str) -> str:
    """One line of text. Non-ASCII characters by number, so that the page's encoding does not matter."""
    line = "".join(_ESCAPES.get(char, char if char.isascii() else f"\\[u{ord(char):04X}]") for char in text)
    return f"\\&{line}" if line.startswith(".") else line


def title(name: str, *, date: str, version: str) -> str:
    return f'.TH {escaped(name.upper())} 1 {date} "cluster0 {version}" "cluster0 manual"'


def section(name: str) -> str:
    return f".SH {name}"


def paragraph(text: str) -> Iterator[str]:
    yield ".PP"
    yield from _lines(text)


def verbatim(lines: Iterable[str]) -> Iterator[str]:
    """Lines kept as they are, in a fixed width."""
    yield ".PP"
    yield ".nf"
    yield from map(escaped, lines)
    yield ".fi"


def item(term: str, text: str) -> Iterator[str]:
    """`term` in bold, with what it means below it."""
    yield ".TP"
    yield f"\\fB{escaped(term)}\\fR"
    yield from _lines(text)


def _lines(text: str) -> Iterator[str]:
    return (escaped(line.strip()) for line in text.splitlines() if line.strip())
