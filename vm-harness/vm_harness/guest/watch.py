"""Waits for all machines of a lab at once, by libvirt's lifecycle events and by their consoles.

Every wait is here, so that any machine that fails ends it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

from vm_harness import inotify
from vm_harness.guest.console import Console


class PowerChanges(Protocol):
    """Changes of the machines' power; `vm_harness.machine.libvirt_events.LifecycleEvents` implements it."""

    descriptor: int
    """Readable when the power of any machine has changed since `clear`."""

    def clear(self) -> None: ...


class Watch:
    """The machines of one lab; `Lab.close` closes it."""

    def __init__(self, consoles: Sequence[Console], changes: PowerChanges) -> None:
        self._consoles = consoles
        self._changes = changes
        self._stack = ExitStack()
        self._inotify = self._stack.enter_context(inotify.watching(*(console.log for console in consoles)))

    def close(self) -> None:
        self._stack.close()

    def check(self) -> None:
        """Raises `MachineFailed` for the first machine that has stopped by itself, panicked, or not started in time."""
        # Once, and before the first check: an event during the checks must end the next wait.
        self._changes.clear()
        for console in self._consoles:
            console.check()

    def wait(self, seconds: float | None, *descriptors: int) -> None:
        """Wait until a console prints, a machine's power changes, a descriptor is readable or `seconds` are over.

        The wait also ends when a kernel's first line is overdue. `check` then finds out what has happened.
        """
        limits = [left for console in self._consoles if (left := console.kernel_seconds_left) is not None]
        limits += [] if seconds is None else [seconds]
        self._inotify.wait(min(limits, default=None), self._changes.descriptor, *descriptors)

    def wait_for_text(
        self, console: Console, pattern: str, *, timeout: float, since: int | None = None
    ) -> re.Match[str]:
        """The first match of `pattern`, within a line, in the output of `console` since `since` (default: power on).

        Raises `MachineFailed`, and `Problem`: `console-timeout`, `machine-off` when the machine goes off meanwhile.
        """
        expression, deadline = re.compile(pattern, re.MULTILINE), time.monotonic() + timeout
        reader = console.reader(since)
        while True:
            is_on = console.machine.is_on()  # first: it may print and then be switched off
            for text in reader.new_text():
                if found := expression.search(text):
                    return found
            self.check()
            if not is_on:
                raise console.wait_failed("machine-off", f"the machine is off, and never printed {pattern!r}")
            if time.monotonic() >= deadline:
                raise console.wait_failed("console-timeout", f"no {pattern!r} on the console within {timeout:g} s")
            self.wait(deadline - time.monotonic())

    def wait_for_kernels(self) -> None:
        """Wait until every expected first line of a kernel has been printed. Raises `MachineFailed`."""
        self.check()
        while any(console.kernel_seconds_left is not None for console in self._consoles):
            self.wait(None)
            self.check()
