"""Where lines go: JSON on standard output, or text on standard error, on a terminal above progress bars."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from agent.api.timestamps import rfc3339
from agent.machine.clock import Clock
from cli.json_output import echo_json
from cli.options import Output
from client.wait_for.lines import JsonLine, Line
from client.wait_for.progress_view import ProgressView
from client.wait_for.run import Screen
from client.wait_for.text import is_for_people, still, text

QUIET_SECONDS = 60.0


class JsonScreen:
    """Every line at once, for the program that reads the pipe."""

    def line(self, line: Line) -> None:
        echo_json(JsonLine.of(line, rfc3339(datetime.now(UTC))))

    def show(self, view: ProgressView) -> None:
        """Lines carry all information."""


class TextScreen:
    """For logs and pipes: lines, and how far the install is when there was none for `QUIET_SECONDS`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic()

    def line(self, line: Line) -> None:
        if is_for_people(line):
            self._write(text(line))

    def show(self, view: ProgressView) -> None:
        if self._clock.monotonic() - self._last >= QUIET_SECONDS:
            self._write(still(view))

    def _write(self, words: str) -> None:
        click.echo(words, err=True)
        self._last = self._clock.monotonic()


@contextmanager
def screen_for(output: Output, clock: Clock) -> Iterator[Screen]:
    if output is Output.JSON:
        yield JsonScreen()
    elif sys.stderr.isatty():
        from client.wait_for.progress_bars import ProgressBarScreen

        with ProgressBarScreen.open() as screen:
            yield screen
    else:
        yield TextScreen(clock)
