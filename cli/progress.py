"""Progress of long work on standard error: one line a step, indented by depth, with the time it took.

On a terminal the running step's time ticks; elsewhere (CI) only the end of a step is written, so that logs stay short.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CLEAR_LINE = "\r\033[K"

_writing = threading.Lock()
_innermost: ContextVar[Step | None] = ContextVar("innermost_step", default=None)


class Step:
    """A running step; `note` may be set to its result ("from the cache", "6 images, 230 MB")."""

    def __init__(self, title: str, depth: int) -> None:
        self.title = title
        self.depth = depth
        self.note = ""
        self._start = time.monotonic()
        self._stopped = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name=f"progress: {title}", daemon=True)

    def show(self) -> None:
        """Show the running time on the terminal's current line."""
        if sys.stderr.isatty():
            self._ticker.start()

    def leave_line(self, ending: str) -> None:
        """Stop the ticker; `ending` keeps or clears the line."""
        if self.is_shown():
            self._stopped.set()
            self._ticker.join()
            _write(ending)

    def is_shown(self) -> bool:
        """Whether its line is on the terminal now."""
        return self._ticker.is_alive()

    def finish(self, mark: str) -> None:
        self.leave_line(CLEAR_LINE)
        note = f" ({self.note})" if self.note else ""
        _write(f"{self._line(mark, note)}\n")

    def _tick(self) -> None:
        while True:
            _write(CLEAR_LINE + self._line("…"))
            if self._stopped.wait(1.0):
                return

    def _line(self, mark: str, note: str = "") -> str:
        return f"{'  ' * self.depth}{mark} {self.title}{note} {time.monotonic() - self._start:.1f} s"


@contextmanager
def step(title: str) -> Iterator[Step]:
    """Show `title` while the body runs and its duration afterwards; an exception is marked and raised again."""
    outer = _innermost.get()
    if outer:
        outer.leave_line("\n")
    running = Step(title, outer.depth + 1 if outer else 0)
    token = _innermost.set(running)
    running.show()
    mark = "✗"
    try:
        yield running
        mark = "✓"
    finally:
        _innermost.reset(token)
        running.finish(mark)


def say(words: str) -> None:
    """Write lines of their own; the line of a running step moves below them."""
    running = _innermost.get()
    _write(f"{CLEAR_LINE if running and running.is_shown() else ''}{words}\n")


def _write(words: str) -> None:
    with _writing:
        sys.stderr.write(words)
        sys.stderr.flush()
