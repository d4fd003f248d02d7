"""The progress bars on terminals of several sizes."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from agent.model.states import EventSeverity, HostStatus
from client.wait_for.lines import Line, LineKind
from client.wait_for.progress_bars import ProgressBarScreen, duration, render
from client.wait_for.progress_view import HostProgressView, ProgressView

HOSTS = (
    HostProgressView("alpha", HostStatus.INSTALLED, 100, "Done"),
    HostProgressView("beta", HostStatus.INSTALLING_IN_PROGRESS, 37, "Writing image to disk", "52%", seconds=245),
    HostProgressView("gamma", HostStatus.ERROR, 20, "Installing", seconds=3845),
    HostProgressView("delta", HostStatus.KNOWN, 0),
)
VIEW = ProgressView(percent=41, words="Installing the hosts.", hosts=HOSTS)


@pytest.mark.parametrize("width", [100, 40])
def test_the_progress_bars_have_a_row_for_every_host(width: int, golden: Callable[[str, str], None]) -> None:
    golden(f"wait_for/bars-{width}.txt", shown(width, height=24))


def test_on_a_low_terminal_unfinished_hosts_come_first() -> None:
    text = shown(80, height=7)
    assert [name for name in ("alpha", "beta", "gamma", "delta") if name in text] == ["beta", "gamma", "delta"]
    assert "… and 1 more\n" in text


def shown(width: int, height: int) -> str:
    console = Console(file=io.StringIO(), width=width, height=height)
    with console.capture() as capture:
        console.print(render(VIEW, width=width, height=height))
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def test_with_no_color_the_progress_bars_have_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    written = io.StringIO()
    with ProgressBarScreen.open(Console(file=written, force_terminal=True, width=100)) as screen:
        screen.line(Line(kind=LineKind.PHASE, message="broken", severity=EventSeverity.ERROR))
        screen.show(VIEW)
    assert "broken" in written.getvalue()
    assert "\x1b[3" not in written.getvalue()


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (65.9, "1:05"), (3845, "1:04:05")])
def test_durations_are_shown_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
