"""Findings as text for people: place, input line, fault, remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import click

from agent.model.printable import printable, printable_lines
from inputs.document.findings import Finding, FindingSeverity

_COLOURS = {FindingSeverity.ERROR: "red", FindingSeverity.WARNING: "yellow"}

_INDENT = "    "

MAX_SHOWN = 200


def text(findings: Iterable[Finding]) -> str:
    """All findings and their count; an empty string when there are none."""
    every = list(findings)
    if not every:
        return ""
    blocks = ["\n".join(_block(finding)) for finding in every[:MAX_SHOWN]]
    if len(every) > MAX_SHOWN:
        blocks.append(f"… and {len(every) - MAX_SHOWN} more; `-o json` lists all.")
    return "\n\n".join([*blocks, _sum(every)])


def _block(finding: Finding) -> Iterator[str]:
    severity = click.style(finding.severity.value, fg=_COLOURS[finding.severity], bold=True)
    place = f"{finding.file}:{finding.line}:{finding.column}" if finding.line else finding.file
    yield f"{click.style(printable(place), bold=True)}: {severity}: {printable(finding.path or 'the file')}".rstrip()
    if finding.excerpt.strip():
        number = str(finding.line)
        yield f"  {number} | {printable_lines(finding.excerpt)}"
        yield f"  {' ' * len(number)} | {_indent(finding)}{click.style('^', fg=_COLOURS[finding.severity])}"
    yield f"  {printable_lines(finding.rule, _INDENT)}"
    yield f"  → {printable_lines(finding.remedy, _INDENT)} {click.style(f'[{finding.code}]', dim=True)}"


def _indent(finding: Finding) -> str:
    """White space as wide as the text before the column, tabs included."""
    return "".join(
        "\t" if character == "\t" else " " for character in printable_lines(finding.excerpt[: finding.column - 1])
    )


def _sum(findings: list[Finding]) -> str:
    count = Counter(finding.severity for finding in findings)
    return ", ".join(f"{number} {kind}{'s' if number != 1 else ''}" for kind, number in sorted(count.items()))
