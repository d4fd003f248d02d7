"""An error or a warning about the inputs: position, value, broken rule and remedy."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from agent.model.problems import Problem


class FindingSeverity(StrEnum):
    """Errors stop every command; warnings are only shown."""

    ERROR = "error"
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One broken rule.

    file: as the user named it. line, column: from 1; 0 when the file as a whole is meant.
    path: `hosts[2].interfaces[0].macAddress`; empty for the whole file.
    value: as JSON; empty if there is none, or if it is secret.
    code: stable, kebab-case. rule, remedy: sentences, free to change.
    excerpt: the line itself; empty if it may hold a secret.
    """

    file: str
    line: int
    column: int
    path: str
    value: str
    code: str
    rule: str
    remedy: str
    severity: FindingSeverity = FindingSeverity.ERROR
    excerpt: str = ""


class ConfigurationError(Problem):
    """The inputs cannot be used. `findings`: all of them, warnings too."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        errors = sum(finding.severity is FindingSeverity.ERROR for finding in self.findings)
        super().__init__(
            code="configuration-invalid",
            title=f"The inputs have {errors} error{'s' if errors != 1 else ''}. Nothing was written.",
            detail="\n".join(f"{f.file}:{f.line}:{f.column}: {f.path}: {f.rule}" for f in self.findings),
            remedy="Correct the files and run the command again; `cluster0 validate` checks them without building.",
        )
