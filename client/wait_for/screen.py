"""Shows lines: as JSON on standard output, or as text on standard error, on a terminal above a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click
import msgspec

from agent.api.timestamps import rfc3339
from cli.options import Output
from client.wait_for.follow import Screen
from client.wait_for.lines import JsonLine, Line
from client.wait_for.progress_view import Picture
from client.wait_for.text import is_for_people, text


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
        from client.wait_for.bar import BarScreen

        with BarScreen.open() as screen:
            yield screen
    else:
        yield TextScreen()
