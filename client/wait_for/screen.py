"""Where lines go: JSON on standard output, or text on standard error, on a terminal above progress bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click
import msgspec

from agent.api.timestamps import rfc3339
from cli.options import Output
from client.wait_for.lines import JsonLine, Line
from client.wait_for.progress_view import ProgressView
from client.wait_for.run import Screen
from client.wait_for.text import is_for_people, text


class JsonScreen:
    """Every line at once, for the program that reads the pipe."""

    def line(self, line: Line) -> None:
        click.echo(msgspec.json.encode(JsonLine.of(line, rfc3339(datetime.now(UTC)))))

    def show(self, view: ProgressView) -> None:
        """Lines carry all information."""


class TextScreen:
    """For logs and pipes: lines only."""

    def line(self, line: Line) -> None:
        if is_for_people(line):
            click.echo(text(line), err=True)

    def show(self, view: ProgressView) -> None:
        """Bars make no sense in a log."""


@contextmanager
def screen_for(output: Output) -> Iterator[Screen]:
    if output is Output.JSON:
        yield JsonScreen()
    elif sys.stderr.isatty():
        from client.wait_for.progress_bars import ProgressBarScreen

        with ProgressBarScreen.open() as screen:
            yield screen
    else:
        yield TextScreen()
