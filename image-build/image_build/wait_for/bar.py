"""The progress bar of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from image_build.wait_for.lines import Line
from image_build.wait_for.screen import is_for_people, text


class BarScreen:
    """Lines scroll above the bar. rich keeps to `NO_COLOR` and to the width of the terminal."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar = bar
        self._task = task

    @classmethod
    @contextmanager
    def open(cls) -> Iterator[BarScreen]:
        columns = (TextColumn("{task.percentage:>3.0f}%"), BarColumn(30), TimeElapsedColumn(),
                   TextColumn("{task.description}", markup=False))  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=2) as bar:
            yield cls(bar, bar.add_task("", total=100))

    def line(self, line: Line) -> None:
        if is_for_people(line):
            self._bar.console.print(Text.from_ansi(text(line)), soft_wrap=True)

    def progress(self, percent: int, words: str) -> None:
        self._bar.update(self._task, completed=percent, description=words.splitlines()[0][:60] if words else "")
