"""Shows lines: as JSON on standard output, or as text on standard error, on a terminal above a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click
import msgspec

from agent.api.states import Severity
from agent.machine.clock import rfc3339
from image_build.terminal.colours import SEVERITY_COLOURS
from image_build.terminal.options import Output
from image_build.wait_for.follow import Screen
from image_build.wait_for.lines import JsonLine, Kind, Line
from image_build.wait_for.picture import Picture


class JsonScreen:
    """Every line at once, for whoever reads the pipe."""

    def line(self, line: Line) -> None:
        click.echo(msgspec.json.encode(JsonLine.of(line, rfc3339(datetime.now(UTC)))))

    def show(self, picture: Picture) -> None:
        """Lines say all there is."""


class TextScreen:
    """For logs and pipes: lines only."""

    def line(self, line: Line) -> None:
        if is_for_people(line):
            click.echo(text(line), err=True)

    def show(self, picture: Picture) -> None:
        """A log has no place for it."""


@contextmanager
def screen_for(output: Output) -> Iterator[Screen]:
    if output is Output.JSON:
        yield JsonScreen()
    elif sys.stderr.isatty():
        from image_build.wait_for.bar import BarScreen

        with BarScreen.open() as screen:
            yield screen
    else:
        yield TextScreen()


def is_for_people(line: Line) -> bool:
    """node0's events repeat what other lines say, and more; people get those that are serious."""
    return line.kind is not Kind.EVENT or line.severity in {Severity.ERROR, Severity.CRITICAL}


def text(line: Line) -> str:
    """`12:30:01 alpha: has-min-memory: The host has 2 GiB …`, and the remedy below."""
    subject = ": ".join(part for part in (line.host if line.kind is not Kind.KUBERNETES else "", line.check) if part)
    words = f"{subject}: {line.message}" if subject else line.message
    shown = f"{datetime.now():%H:%M:%S} {click.style(words, fg=SEVERITY_COLOURS.get(line.severity))}"
    return f"{shown}\n         → {line.remedy}" if line.remedy else shown
