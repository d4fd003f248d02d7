"""Progress of long work on standard error: steps, indented by depth, each with the time it took.

On a terminal the running step's time ticks on one line. Elsewhere (CI) a step writes a line when it starts, one every
`REPEAT_SECONDS` while it runs, and one when it ends. So a log is never silent for longer.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CLEAR_LINE = "\r\033[K"
TICK_SECONDS = 1.0
REPEAT_SECONDS = 60.0

_writing = threading.Lock()
_innermost: ContextVar[Step | None] = ContextVar("innermost_step", default=None)


class Step:
    """A running step; `note` may be set to its result ("6 images, 230 MB").

    usually: the time that it usually takes, in words ("9 min on two cores"); empty when not known.
    """

    def __init__(self, title: str, depth: int, usually: str) -> None:
        self.title = title
        self.depth = depth
        self.note = ""
        self._usually = f", usually {usually}" if usually else ""
        self._start = time.monotonic()
        self._ended = threading.Event()
        self._on_terminal = sys.stderr.isatty()
        self._ticker = threading.Thread(target=self._tick, name=f"progress: {title}", daemon=True)

    @property
    def seconds(self) -> float:
        """Since its start."""
        return time.monotonic() - self._start

    def show(self) -> None:
        """Announce it, and say from time to time that it still runs."""
        if not self._on_terminal:
            _write(f"{self._line('…')}{self._usually}\n")
        self._ticker.start()

    def leave_line(self, ending: str) -> None:
        """End the reports about it. `ending` keeps or clears the terminal's line."""
        on_line = self.is_on_line()
        if self._ticker.is_alive():
            self._ended.set()
            self._ticker.join()
        if on_line:
            _write(ending)

    def is_on_line(self) -> bool:
        """Whether the terminal's current line shows it."""
        return self._on_terminal and self._ticker.is_alive()

    def finish(self, mark: str) -> None:
        self.leave_line(CLEAR_LINE)
        note = f" ({self.note})" if self.note else ""
        _write(f"{self._line(mark)}{note} {self.seconds:.1f} s\n")

    def _tick(self) -> None:
        if self._on_terminal:
            self._write_time()
        while not self._ended.wait(TICK_SECONDS if self._on_terminal else REPEAT_SECONDS):
            self._write_time()

    def _write_time(self) -> None:
        if self._on_terminal:
            _write(f"{CLEAR_LINE}{self._line('…')} {self.seconds:.1f} s{self._usually}")
        else:
            _write(f"{self._line('…')}: {in_words(self.seconds)} so far{self._usually}\n")

    def _line(self, mark: str) -> str:
        return f"{'  ' * self.depth}{mark} {self.title}"


@contextmanager
def step(title: str, usually: str = "") -> Iterator[Step]:
    """Show `title` while the body runs and its duration afterwards; an exception is marked and raised again.

    usually: as in `Step`.
    """
    outer = _innermost.get()
    if outer:
        outer.leave_line("\n")
    running = Step(title, outer.depth + 1 if outer else 0, usually)
    token = _innermost.set(running)
    mark = "✗"
    try:
        running.show()
        yield running
        mark = "✓"
    finally:
        _innermost.reset(token)
        running.finish(mark)


def already(title: str, note: str) -> None:
    """Show a step that has nothing to do."""
    outer = _innermost.get()
    depth = outer.depth + 1 if outer else 0
    say(f"{'  ' * depth}✓ {title} ({note})")


def say(words: str) -> None:
    """Write lines of their own; the line of a running step moves below them."""
    running = _innermost.get()
    _write(f"{CLEAR_LINE if running and running.is_on_line() else ''}{words}\n")


def in_words(seconds: float) -> str:
    """Rounded as an estimate: "35 s", "2 min 30 s", "10 min"."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds >= 295:
        return f"{seconds / 60:.0f} min"
    minutes, rest = divmod(round(seconds, -1), 60)
    return f"{minutes:.0f} min {rest:.0f} s" if rest else f"{minutes:.0f} min"


def _write(words: str) -> None:
    with _writing:
        sys.stderr.write(words)
        sys.stderr.flush()
