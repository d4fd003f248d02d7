"""Finds threads that a test leaves, of Python or of a C library."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path

_TASKS = Path("/proc/self/task")

# Threads that a C library starts at first use and keeps until the process ends, by the names it gives them.
KEPT_BY_LIBRARIES = {
    "gmain": "GLib's main context",
    "gdbus": "GLib's D-Bus connection",
    "pool-spawner": "GLib starts threads of its pools from here",
}


class Threads:
    """Keys: the kernel's thread ids. An ended Python thread may keep its id for a moment, within `GRACE_SECONDS`."""

    name = "thread"
    may_still_end = True

    def present(self) -> frozenset[int]:
        ours = {thread.native_id for thread in threading.enumerate()}
        others = {number for number in map(int, os.listdir(_TASKS)) if number not in ours}  # noqa: PTH208 - the fast one
        kept = {number for number in others if _command(number) in KEPT_BY_LIBRARIES}
        return frozenset({*others - kept, *(number for number in ours if number is not None)})

    def describe(self, key: int) -> str:
        for thread in threading.enumerate():
            if thread.native_id == key:
                frame = sys._current_frames().get(thread.ident or 0)
                return f"{thread.name}\n{''.join(traceback.format_stack(frame))}"
        return f"{_command(key)}, not Python's"

    def remove(self, key: int) -> None:
        """Not possible: Python cannot end another thread."""


def _command(number: int) -> str:
    try:
        return (_TASKS / str(number) / "comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""
