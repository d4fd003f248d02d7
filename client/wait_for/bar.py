"""The moving part of a terminal: one bar for the install and one for each host, redrawn in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from agent.model.states import HostStatus
from cli.printable import printable
from client.wait_for.lines import Line
from client.wait_for.progress_view import HostPicture, Picture
from client.wait_for.text import is_for_people, text

BAR_WIDTH = 20
NARROW = 70
"""Columns; below this there is no room for bars beside the words."""

_STYLES = {HostStatus.ERROR: "red", HostStatus.INSTALLING_PENDING_USER_ACTION: "yellow", HostStatus.INSTALLED: "green"}


class BarScreen:
    """Lines scroll above the bars. rich keeps to `NO_COLOR` and to the size of the terminal."""

    def __init__(self, live: Live) -> None:
        self._live = live

    @classmethod
    @contextmanager
    def open(cls, console: Console | None = None) -> Iterator[BarScreen]:
        with Live(console=console or Console(stderr=True), transient=True, refresh_per_second=2) as live:
            yield cls(live)

    def line(self, line: Line) -> None:
        if is_for_people(line):
            console = self._live.console
            console.print(Text.from_ansi(text(line, console.width)), soft_wrap=True)

    def show(self, picture: Picture) -> None:
        size = self._live.console.size
        self._live.update(drawn(picture, width=size.width, height=size.height))


def drawn(picture: Picture, *, width: int, height: int) -> RenderableType:
    """`picture` on a terminal of that size; hosts that are not done come first when not all have room."""
    room = max(1, height - 4)
    hosts = picture.hosts
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
    hidden = len(picture.hosts) - len(hosts)
    more = [Text(f"… and {hidden} more", style="dim")] if hidden else []
    whole = Text(printable(f"{picture.percent:3d}% {picture.words}"), no_wrap=True, overflow="ellipsis")
    return Group(table, *more, whole) if picture.hosts else whole


def _row(host: HostPicture, width: int) -> Iterator[RenderableType]:
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
