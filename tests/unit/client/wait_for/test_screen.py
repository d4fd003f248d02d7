"""What a log gets."""

from __future__ import annotations

import pytest

from agent.model.states import HostStatus
from client.wait_for.lines import Line, LineKind
from client.wait_for.progress_view import HostProgressView, ProgressView
from client.wait_for.screen import QUIET_SECONDS, TextScreen
from tests.fakes.node0.clock import ManualClock

DONE = HostProgressView("alpha", HostStatus.INSTALLED, 100, "Done")
WRITING = HostProgressView("beta", HostStatus.INSTALLING_IN_PROGRESS, 37, "Writing image to disk", "52%")
LINE = Line(kind=LineKind.PHASE, message="The install is in progress.")


def view(*hosts: HostProgressView) -> ProgressView:
    return ProgressView(percent=41, words="The install is in progress.", hosts=hosts)


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Without the time of day."""
    return [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]


def test_a_log_that_was_silent_for_a_minute_says_how_far_the_install_is(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    screen = TextScreen(clock)
    for seconds in (QUIET_SECONDS - 1, 1, QUIET_SECONDS - 1, 1):
        clock.advance(seconds)
        screen.show(view(DONE, WRITING))
    assert shown(capsys) == ["41% The install is in progress. beta: Writing image to disk 52%"] * 2


def test_after_a_line_the_log_is_silent_for_a_minute_again(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    screen = TextScreen(clock)
    clock.advance(QUIET_SECONDS)
    screen.line(LINE)
    screen.show(view(WRITING))
    assert shown(capsys) == ["The install is in progress."]


@pytest.mark.parametrize(("number", "end"), [(0, "progress."), (5, "4: Rebooting"), (7, "4: Rebooting, and 2 more")])
def test_a_log_names_a_few_hosts(number: int, end: str, capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    screen = TextScreen(clock)
    clock.advance(QUIET_SECONDS)
    hosts = (HostProgressView(str(n), HostStatus.INSTALLING_IN_PROGRESS, 90, "Rebooting") for n in range(number))
    screen.show(view(*hosts))
    (line,) = shown(capsys)
    assert line.endswith(end)
