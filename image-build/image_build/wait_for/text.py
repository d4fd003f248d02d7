"""Lines as text for people."""

from __future__ import annotations

from datetime import datetime

import click

from agent.api.states import Severity
from image_build.terminal.colours import SEVERITY_COLOURS
from image_build.terminal.printable import printable
from image_build.wait_for.lines import Kind, Line


def is_for_people(line: Line) -> bool:
    """node0's events repeat what other lines say, and more; people get those that are serious."""
    return line.kind is not Kind.EVENT or line.severity in {Severity.ERROR, Severity.CRITICAL}


def text(line: Line) -> str:
    """`12:30:01 alpha: has-min-memory: The host has 2 GiB …`, and the remedy below."""
    subject = ": ".join(part for part in (line.host if line.kind is not Kind.KUBERNETES else "", line.check) if part)
    words = printable(f"{subject}: {line.message}" if subject else line.message)
    shown = f"{datetime.now():%H:%M:%S} {click.style(words, fg=SEVERITY_COLOURS.get(line.severity))}"
    return f"{shown}\n         → {printable(line.remedy)}" if line.remedy else shown
