"""The user's checks: programs in `checks/` that every host runs before the install."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.api.checks import MOST_USER_CHECKS
from inputs.document.findings import Finding

DIRECTORY = "checks"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
MAX_BYTES = 1 << 20
MAX_TOTAL_BYTES = 2 << 20

# A script that names its interpreter, or an ELF program: what execve(2) accepts.
_STARTS = (b"#!", b"\x7fELF")


@dataclass(frozen=True)
class Check:
    """`name`: of the file; the validation's id is user-<name>."""

    name: str
    content: bytes


def read_checks(directory: Path) -> tuple[tuple[Check, ...], tuple[Finding, ...]]:
    """The programs in `checks/` of `directory`, by name, and the findings about them. The directory is optional."""
    where = directory / DIRECTORY
    try:
        paths = sorted(where.iterdir())
    except FileNotFoundError:
        return (), ()
    except OSError as error:
        return (), (_unreadable(where, error),)
    checks: list[Check] = []
    findings = list(_together(where, paths))
    for path in paths if not findings else ():
        wrong = _named_wrong(path)
        content = b"" if wrong else _content(path)
        wrong = wrong or (content if isinstance(content, Finding) else _no_program(path, content))
        if wrong is not None:
            findings.append(wrong)
        elif isinstance(content, bytes):
            checks.append(Check(path.name, content))
    return tuple(checks), tuple(findings)


def _together(where: Path, paths: list[Path]) -> Iterator[Finding]:
    if len(paths) > MOST_USER_CHECKS:
        rule = f"There are {len(paths)} files; a host runs at most {MOST_USER_CHECKS} checks."
        yield _finding(where, "checks-too-many", rule, "Put several checks into one program.")
    total = sum(path.stat().st_size for path in paths if path.is_file())
    if total > MAX_TOTAL_BYTES:
        rule = f"Together they have {total} bytes; the ISO has room for {MAX_TOTAL_BYTES >> 20} MiB."
        yield _finding(where, "checks-too-large", rule, "Use scripts, or make the programs smaller.")


def _named_wrong(path: Path) -> Finding | None:
    if NAME.fullmatch(path.name) is None:
        rule = "A check's name is the id of its validation: small letters, digits, `.`, `_`, `-`, at most 63 of them."
        return _finding(path, "check-name-invalid", rule, "Rename it, or move it elsewhere if it is not a check.")
    if not path.is_file():
        return _finding(path, "check-not-a-file", "A check must be a file.", "Move it elsewhere.")
    return None


def _content(path: Path) -> bytes | Finding:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        return _unreadable(path, error)
    if len(content) > MAX_BYTES:
        rule = f"The file has more than {MAX_BYTES >> 20} MiB."
        return _finding(path, "check-too-large", rule, "Use a script, or make the program smaller.")
    return content


def _no_program(path: Path, content: bytes) -> Finding | None:
    if content.startswith(_STARTS):
        return None
    rule = "The file is not a program: it begins neither with #! nor with an ELF header."
    return _finding(
        path, "check-no-program", rule, "Begin a script with its interpreter: #!/bin/sh, #!/usr/bin/python3."
    )


def _unreadable(path: Path, error: OSError) -> Finding:
    rule = f"It cannot be read: {os.strerror(error.errno or 0)}."
    return _finding(path, "file-unreadable", rule, "Make it readable.")


def _finding(path: Path, code: str, rule: str, remedy: str) -> Finding:
    return Finding(file=str(path), line=0, column=0, path="", value="", code=code, rule=rule, remedy=remedy)
