"""What the lab tells people while it works: one line a step on standard error, with the time it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(words: str) -> None:
    sys.stderr.write(words + "\n")
    sys.stderr.flush()


class Step:
    """A running step; `note` may be set to say how it ended (`already there`, `KVM does not boot a guest`)."""

    note = ""


@contextmanager
def step(title: str) -> Iterator[Step]:
    running, start = Step(), time.monotonic()
    mark = "✗"
    try:
        yield running
        mark = "✓"
    finally:
        note = f": {running.note}" if running.note else ""
        say(f"{mark} {title}{note} ({time.monotonic() - start:.1f} s)")
