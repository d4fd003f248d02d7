"""Runs the real `ignition-validate` and reads its output.

Its warnings are findings like its errors: "Unused key" and "enabled, but has no install section" mean that a
config does not do what it describes, and Ignition itself would continue without an error.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from enum import StrEnum

# The config comes on standard input: it holds secrets and gets no file of its own.
ARGV = ("ignition-validate", "-")

_LINE = re.compile(
    r"(?P<severity>error|warning|info) at (?:(?P<path>\$\S*?)(?:, )?)?"
    r"(?:line (?P<line>\d+) col (?P<column>\d+))?: (?P<message>.*)"
)


class MessageKind(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class ValidatorMessage:
    """One complaint. `path`: as in `$.storage.files.0.mode`, "" when not known; `line`, `column`: 0 when not known."""

    severity: MessageKind
    message: str
    path: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.path, f"line {self.line} column {self.column}" if self.line else "")))
        return f"{self.severity} at {where}: {self.message}" if where else f"{self.severity}: {self.message}"


def validate(document: bytes, *, timeout: float = 30.0) -> list[ValidatorMessage]:
    """Everything that is wrong with the config in `document`; an empty list means valid.

    FileNotFoundError: `ignition-validate` (Debian package ignition) is not installed. TimeoutExpired.
    """
    ended = subprocess.run(ARGV, input=document, capture_output=True, timeout=timeout, check=False)
    return findings((ended.stdout + ended.stderr).decode(errors="replace"), ended.returncode)


def findings(output: str, exit_code: int) -> list[ValidatorMessage]:
    """The findings in this output. An exit code other than 0 always gives at least one."""
    found = [_finding(line) for line in output.splitlines() if line.strip()]
    if exit_code != 0 and not found:
        found.append(
            ValidatorMessage(MessageKind.ERROR, f"ignition-validate ended with exit code {exit_code} and no message")
        )
    return found


def _finding(line: str) -> ValidatorMessage:
    match = _LINE.fullmatch(line)
    if match is None:  # "couldn't parse config: unsupported config version" names no place
        return ValidatorMessage(MessageKind.ERROR, line.strip())
    return ValidatorMessage(
        severity=MessageKind(match["severity"]),
        message=match["message"],
        path=match["path"] or "",
        line=int(match["line"] or 0),
        column=int(match["column"] or 0),
    )
