"""Text from hosts, files and tools is untrusted: no character of it may control a terminal or forge a line of a log.

Every way out to people uses this: consoles, the journal, the output of commands. The data that programs exchange stay
as they are.
"""

from __future__ import annotations

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """`text` as one line: every character that does not print is shown as its escape (`\\x1b`, `\\n`, `\\u202e`).

    That is Unicode's "other" and "separator" but for the blank: controls, what changes the direction of text or is
    invisible, ends of lines.
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def printable_lines(text: str, indent: str = "") -> str:
    """As `printable`, but `text` may have lines: each after the first begins with `indent`, and tabs stay."""
    lines = text.replace("\r\n", "\n").split("\n")
    return f"\n{indent}".join("\t".join(printable(part) for part in line.split("\t")) for line in lines)


def printable_json(document: bytes) -> str:
    """`document`, JSON in UTF-8, with the same value: such characters in it become JSON's escapes (`\\u009b`).

    Ends of lines stay: between values they are layout, and inside of strings JSON has escapes of them.
    """
    text = document.decode(errors="replace")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _json_escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(char: str) -> str:
    units = char.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
