"""Progress of steps, on a terminal and in a log."""

from __future__ import annotations

import re
import sys

import pytest

from cli.progress import CLEAR_LINE, say, step


def test_outside_a_terminal_progress_is_one_line_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    with step("outer"):
        with step("inner") as inner:
            inner.note = "from the cache"
        with pytest.raises(RuntimeError), step("broken"):
            raise RuntimeError
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.sub(r"\d+\.\d s", "0.0 s", captured.err).splitlines() == [
        "  ✓ inner (from the cache) 0.0 s",
        "  ✗ broken 0.0 s",
        "✓ outer 0.0 s",
    ]


def test_a_message_does_not_mix_with_the_line_of_a_running_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("before")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with step("ticking"):
        say("meanwhile")
    shown = capsys.readouterr().err
    assert shown.startswith("before\n")
    assert f"{CLEAR_LINE}meanwhile\n" in shown
