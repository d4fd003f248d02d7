"""Shows the status on one terminal, and updates it when a file has changed."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from agent.console import page, words
from agent.console.view import DIRECTORY, View, read
from agent.machine import Machine
from agent.machine.inotify import replacements
from agent.model.problems import Problem

SCREEN = re.compile(r"/dev/tty\d+")
CLEAR = "\x1b[H\x1b[J"


def show(tty: str) -> None:
    """Never returns. A virtual console gets the page; a serial port lines, for a login prompt and a log live there."""
    terminal = Terminal(tty)
    before = View()
    for view in _views(Machine()):
        terminal.write(CLEAR + page.render(view) if SCREEN.fullmatch(tty) else new_lines(before, view))
        before = view


def new_lines(before: View, after: View) -> str:
    """The lines of `after` that `before` did not have. Each overwrites a login prompt that may be there."""
    shown = set(words.lines(before))
    return "".join(f"\r{line}\r\n" for line in words.lines(after) if line not in shown)


def _views(machine: Machine) -> Iterator[View]:
    directory: Path = machine.files.at(DIRECTORY)
    directory.mkdir(parents=True, exist_ok=True)
    last = View()
    for _ in replacements(directory):
        try:
            last = read(machine)
        except Problem:  # a file of another version of cluster0; a later one may be readable
            continue
        yield last


class Terminal:
    """Kept open, so that logind sees the screen as occupied and starts no login prompt on it. When a getty starts or
    ends on a serial port, the kernel hangs up every process on it: then the port is opened again."""

    def __init__(self, tty: str) -> None:
        self._tty = tty
        self._open()

    def write(self, text: str) -> None:
        data = text.encode("ascii", errors="replace")
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                os.close(self._descriptor)
                self._open()

    def _open(self) -> None:
        self._descriptor = os.open(self._tty, os.O_WRONLY | os.O_NOCTTY)
