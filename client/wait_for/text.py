"""Lines as text for people."""

from __future__ import annotations

from datetime import datetime
from textwrap import indent

import click

from agent.model.states import EventSeverity
from cli.colours import SEVERITY_COLOURS
from cli.printable import printable
from client.wait_for.lines import Kind, Line
from client.wait_for.matrix import drawn

_INDENT = " " * len("12:30:01 ")


def is_for_people(line: Line) -> bool:
    """node0's events repeat what other lines say, and more; people get those that are serious. Pairs of hosts they
    get as a matrix."""
    if line.kind is Kind.EVENT:
        return line.severity in {EventSeverity.ERROR, EventSeverity.CRITICAL}
    return line.kind is not Kind.PAIR


def text(line: Line, width: int | None = None) -> str:
    """`12:30:01 alpha: has-min-memory: The host has 2 GiB …`, and below it the matrix or the remedy.

    `width`: columns that the matrix should keep to.
    """
    subject = ": ".join(part for part in (line.host if line.kind is not Kind.KUBERNETES else "", line.check) if part)
    words = printable(f"{subject}: {line.message}" if subject else line.message)
    shown = f"{datetime.now():%H:%M:%S} {click.style(words, fg=SEVERITY_COLOURS.get(line.severity))}"
    if line.matrix:
        shown = f"{shown}\n{indent(printable(drawn(line.matrix, width and width - len(_INDENT))), _INDENT)}"
    return f"{shown}\n{_INDENT}→ {printable(line.remedy)}" if line.remedy else shown
