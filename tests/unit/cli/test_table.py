"""Tables: wrapped to the width of a terminal; one line a row in a pipe."""

from __future__ import annotations

import io
import sys

import click
import pytest

from cli.table import print_table

HEADER = ("NAME", "STATUS", "WHY")
WHY = "No default route leads anywhere, and Kubernetes wants one even where it leads nowhere."
ROWS = [("alpha", "insufficient", WHY), ("beta", "known", "")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> list[str]:
    monkeypatch.setattr(sys, "stdout", stream)
    print_table(HEADER, ROWS)
    return click.unstyle(stream.getvalue()).splitlines()


def test_a_table_in_a_pipe_has_one_line_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = printed(monkeypatch, io.StringIO())
    assert len(lines) == 1 + len(ROWS)
    assert WHY in lines[1]


def test_a_table_on_a_narrow_terminal_wraps_within_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("COLUMNS", "40"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    lines = printed(monkeypatch, Terminal())
    assert max(map(len, lines)) <= 40
    start = lines[0].index("WHY")
    assert " ".join(line[start:].strip() for line in lines[1:]).split() == WHY.split()
