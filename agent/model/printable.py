"""Text from hosts, files and tools is untrusted: no character of it may control a terminal or forge a line of a log.

Every way out to people uses this: consoles, the journal, the output of commands. The data that programs exchange stay
as they are.
"""

from __future__ import annotations

import logging
import re

# C0, DEL and C1; what changes the direction of text or is invisible; separators of lines; halves of characters.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """`text` as one line: every control character is shown as its escape (`\\x1b`, `\\n`, `\\u202e`)."""
    return text if text.isascii() and text.isprintable() else _UNPRINTABLE.sub(_escaped, text)


def printable_lines(text: str, indent: str = "") -> str:
    """As `printable`, but `text` may have lines: each after the first begins with `indent`, and tabs stay."""
    lines = text.replace("\r\n", "\n").split("\n")
    return f"\n{indent}".join("\t".join(printable(part) for part in line.split("\t")) for line in lines)


def printable_json(document: bytes) -> str:
    """`document`, JSON in UTF-8, with the same value: characters in its strings become JSON's escapes (`\\u009b`)."""
    lines = document.decode(errors="replace").split("\n")
    return "\n".join(_UNPRINTABLE.sub(_json_escaped, line) for line in lines)


class PrintableFormatter(logging.Formatter):
    """Messages of several lines are indented, so that a line feed from a host cannot begin a message of its own."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record), indent="    ")


def log_to_stderr(form: str) -> None:
    """The journal takes it from there. `form`: as of `logging.Formatter`."""
    handler = logging.StreamHandler()
    handler.setFormatter(PrintableFormatter(form))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
