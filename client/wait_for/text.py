"""Lines as text for people."""

from __future__ import annotations

from datetime import datetime
from textwrap import indent

import click

from agent.model.printable import printable, printable_lines
from agent.model.states import EventSeverity, HostStatus
from cli.colours import SEVERITY_COLOURS
from client.wait_for.lines import Line, LineKind
from client.wait_for.peer_matrix import render
from client.wait_for.progress_view import ProgressView

_INDENT = " " * len("12:30:01 ")
_HOSTS = 5
"""More are only counted."""


def is_for_people(line: Line) -> bool:
    """Serious events only, because other lines repeat the rest; failures between hosts only as a matrix."""
    if line.kind is LineKind.EVENT:
        return line.severity in {EventSeverity.ERROR, EventSeverity.CRITICAL}
    return line.kind is not LineKind.PEER_FAILURE


def still(view: ProgressView) -> str:
    """`12:30:01 42% The install is in progress. alpha: Writing image to disk 50%, beta: Rebooting, and 3 more`."""
    hosts = [f"{host.name}: {host.words}" for host in view.hosts if host.status is not HostStatus.INSTALLED]
    more = [f"and {len(hosts) - _HOSTS} more"] if len(hosts) > _HOSTS else []
    shown = f"{view.percent}% {view.words} {', '.join([*hosts[:_HOSTS], *more])}".rstrip()
    return f"{datetime.now():%H:%M:%S} {printable(shown)}"


def text(line: Line, width: int | None = None) -> str:
    """`12:30:01 alpha: has-min-memory: The host has 2 GiB …`, followed by the matrix or the remedy.

    `width`: the most columns for the matrix.
    """
    host = "" if line.kind is LineKind.KUBERNETES else line.host
    subject = ": ".join(filter(None, (host, line.check)))
    words = printable_lines(f"{subject}: {line.message}" if subject else line.message, _INDENT)
    shown = f"{datetime.now():%H:%M:%S} {click.style(words, fg=SEVERITY_COLOURS.get(line.severity))}"
    if line.matrix:
        shown = f"{shown}\n{indent(render(line.matrix, width and width - len(_INDENT)), _INDENT)}"
    return f"{shown}\n{_INDENT}→ {printable_lines(line.remedy, _INDENT)}" if line.remedy else shown
