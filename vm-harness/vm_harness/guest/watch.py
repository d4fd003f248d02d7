"""All machines of a lab at once, by libvirt's lifecycle events and by their consoles.

Every wait goes through here, so that a machine that fails ends it, whichever of them is waited for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

from vm_harness.guest import inotify
from vm_harness.guest.console import Console


class PowerChanges(Protocol):
    """`vm_harness.machine.libvirt_events.LifecycleEvents` is one."""

    descriptor: int
    """Readable when the power of any machine has changed since `clear`."""

    def clear(self) -> None: ...


class Watch:
    """Closed with the lab."""

    def __init__(self, consoles: Sequence[Console], changes: PowerChanges) -> None:
        self._consoles = consoles
        self._changes = changes
        self._stack = ExitStack()
        self._inotify = self._stack.enter_context(inotify.watching(*(console.log for console in consoles)))

    def close(self) -> None:
        self._stack.close()

    def check(self) -> None:
        """Raises `MachineFailed` for the first machine that has stopped by itself, died, or not started in time."""
        # Once, and before the first is asked: a machine that stops while another is asked is news for the next wait.
        self._changes.clear()
        for console in self._consoles:
            console.check()

    def wait(self, seconds: float | None, *descriptors: int) -> None:
        """Until a console grows, a machine's power changes, a descriptor is readable or `seconds` are over.

        Also until a kernel's first line is overdue. What has happened is seen by `check`.
        """
        limits = [left for console in self._consoles if (left := console.kernel_seconds_left) is not None]
        limits += [] if seconds is None else [seconds]
        self._inotify.wait(min(limits, default=None), self._changes.descriptor, *descriptors)

    def wait_for_text(
        self, console: Console, pattern: str, *, timeout: float, since: int | None = None
    ) -> re.Match[str]:
        """The first match of `pattern`, within a line, in what `console` shows since `since` (default: since power on).

        Raises `MachineFailed`, and `Problem`: `console-timeout`, `machine-off` when it goes off while waiting.
        """
        wanted, deadline = re.compile(pattern, re.MULTILINE), time.monotonic() + timeout
        reader = console.reader(since)
        while True:
            is_on = console.machine.is_on()  # asked first: what it printed before it went off counts
            for text in reader.new_text():
                if found := wanted.search(text):
                    return found
            self.check()
            if not is_on:
                raise console.wait_failed("machine-off", f"the machine is off, and never printed {pattern!r}")
            if time.monotonic() >= deadline:
                raise console.wait_failed("console-timeout", f"no {pattern!r} on the console within {timeout:g} s")
            self.wait(deadline - time.monotonic())

    def wait_for_kernels(self) -> None:
        """Until each kernel that is expected to has printed its first line. Raises `MachineFailed`."""
        self.check()
        while any(console.kernel_seconds_left is not None for console in self._consoles):
            self.wait(None)
            self.check()
