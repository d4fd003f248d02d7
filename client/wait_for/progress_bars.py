"""The progress bars on a terminal: one for the install and one for each host, redrawn in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from agent.model.printable import printable
from agent.model.states import HostStatus
from client.wait_for.lines import Line
from client.wait_for.progress_view import HostProgressView, ProgressView
from client.wait_for.text import is_for_people, text

BAR_WIDTH = 20
NARROW = 70
"""Columns; a narrower terminal has no room for bars."""

_STYLES = {HostStatus.ERROR: "red", HostStatus.INSTALLING_PENDING_USER_ACTION: "yellow", HostStatus.INSTALLED: "green"}


class ProgressBarScreen:
    """Lines scroll above the bars. rich observes `NO_COLOR` and the size of the terminal."""

    def __init__(self, live: Live) -> None:
        self._live = live

    @classmethod
    @contextmanager
    def open(cls, console: Console | None = None) -> Iterator[ProgressBarScreen]:
        with Live(console=console or Console(stderr=True), transient=True, refresh_per_second=2) as live:
            yield cls(live)

    def line(self, line: Line) -> None:
        if is_for_people(line):
            console = self._live.console
            console.print(Text.from_ansi(text(line, console.width)), soft_wrap=True)

    def show(self, view: ProgressView) -> None:
        size = self._live.console.size
        self._live.update(render(view, width=size.width, height=size.height))


def render(view: ProgressView, *, width: int, height: int) -> RenderableType:
    """`view` for a terminal of that size; unfinished hosts come first when there is no room for all."""
    room = max(1, height - 4)
    hosts = view.hosts
    if len(hosts) > room:
        hosts = tuple(sorted(hosts, key=lambda host: host.status is HostStatus.INSTALLED))[:room]
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(8, width // 3))
    if width >= NARROW:
        table.add_column(width=BAR_WIDTH)
    table.add_column(justify="right", width=4)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(justify="right", no_wrap=True)
    for host in hosts:
        table.add_row(*_row(host, width))
    hidden = len(view.hosts) - len(hosts)
    more = [Text(f"… and {hidden} more", style="dim")] if hidden else []
    whole = Text(printable(f"{view.percent:3d}% {view.words}"), no_wrap=True, overflow="ellipsis")
    return Group(table, *more, whole) if view.hosts else whole


def _row(host: HostProgressView, width: int) -> Iterator[RenderableType]:
    yield Text(printable(host.name))
    if width >= NARROW:
        yield ProgressBar(total=100, completed=host.percent, width=BAR_WIDTH)
    yield Text(f"{host.percent}%")
    yield Text(printable(host.words), style=_STYLES.get(host.status, ""))
    yield Text(duration(host.seconds) if host.stage else "", style="dim")


def duration(seconds: float) -> str:
    """`4:05`, and `1:04:05` from an hour on."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
