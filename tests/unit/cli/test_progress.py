"""Progress of steps, on a terminal and in a log."""

from __future__ import annotations

import re
import sys
import threading

import pytest

from cli import progress
from cli.progress import CLEAR_LINE, already, in_words, say, step


def lines(shown: str) -> list[str]:
    """Without the seconds that steps took."""
    return re.sub(r"\d+\.\d s", "0.0 s", shown).splitlines()


def test_a_log_has_a_line_when_a_step_starts_and_one_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    with step("outer"):
        with step("inner", "2 min here") as inner:
            inner.note = "6 images"
        already("kept", "from the cache")
        with pytest.raises(RuntimeError), step("broken"):
            raise RuntimeError
    captured = capsys.readouterr()
    assert captured.out == ""
    assert lines(captured.err) == [
        "… outer",
        "  … inner, usually 2 min here",
        "  ✓ inner (6 images) 0.0 s",
        "  ✓ kept (from the cache)",
        "  … broken",
        "  ✗ broken 0.0 s",
        "✓ outer 0.0 s",
    ]


def test_a_log_says_again_and_again_that_a_step_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogWithoutTerminal(lines=3)
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "REPEAT_SECONDS", 0.01)
    with step("long", "8 min"):
        assert log.is_full.wait(10)
    assert log.written[:3] == ["… long, usually 8 min\n", *["… long: 1 s so far, usually 8 min\n"] * 2]


class LogWithoutTerminal:
    """Standard error that goes to a file; `is_full` is set when it has `lines`."""

    def __init__(self, lines: int) -> None:
        self.written: list[str] = []
        self.is_full = threading.Event()
        self._lines = lines

    def write(self, words: str) -> None:
        self.written.append(words)
        if len(self.written) >= self._lines:
            self.is_full.set()

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        return False


def test_a_message_does_not_mix_with_the_line_of_a_running_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("before")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with step("ticking", "1 min here"):
        say("meanwhile")
    shown = capsys.readouterr().err
    assert shown.startswith("before\n")
    assert f"{CLEAR_LINE}meanwhile\n" in shown
    assert lines(shown)[-1].endswith("✓ ticking 0.0 s")


def test_a_terminal_shows_the_time_that_a_step_usually_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with step("outer", "1 min here"), step("inner"):
        pass
    shown = re.sub(r"\d+\.\d s", "0.0 s", capsys.readouterr().err)
    assert shown.startswith(f"{CLEAR_LINE}… outer 0.0 s, usually 1 min here\n{CLEAR_LINE}  … inner 0.0 s")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (89.4, "89 s"), (90, "1 min 30 s"), (118, "2 min"), (294, "4 min 50 s"), (298, "5 min"),
     (595, "10 min")],
)  # fmt: skip
def test_an_estimate_is_rounded(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
