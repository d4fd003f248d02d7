"""What a long build says on standard error: one line a step, indented by depth, with the time it took.

On a terminal a step is shown while it runs; elsewhere (CI) only its end is, so that logs stay short.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_depth: ContextVar[int] = ContextVar("progress_depth", default=0)


@dataclass
class Step:
    """A running step; `note` may be set to say how it ended ("from the cache", "6 images, 230 MB")."""

    title: str
    note: str = ""


@contextmanager
def step(title: str) -> Iterator[Step]:
    """Show `title` while the body runs and its duration afterwards; a failure is marked and passed on."""
    depth = _depth.get()
    token = _depth.set(depth + 1)
    running, start = Step(title), time.monotonic()
    if sys.stderr.isatty():
        _say(depth, "…", title)
    mark = "✗"
    try:
        yield running
        mark = "✓"
    finally:
        _depth.reset(token)
        note = f" ({running.note})" if running.note else ""
        _say(depth, mark, f"{title}{note} {time.monotonic() - start:.1f} s")


def _say(depth: int, mark: str, words: str) -> None:
    print(f"{'  ' * depth}{mark} {words}", file=sys.stderr, flush=True)  # noqa: T201 - this is the program's voice
