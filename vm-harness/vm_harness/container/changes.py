"""When the power of a container changes: a write to its group's `cgroup.events`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from vm_harness import inotify
from vm_harness.container.control_groups import ControlGroup


class PowerChanges:
    """`descriptor` is readable when the power of any machine has changed since `clear`."""

    def __init__(self, groups: Sequence[ControlGroup]) -> None:
        self._stack = ExitStack()
        self._inotify = self._stack.enter_context(inotify.watching(*(group.events for group in groups)))
        self.descriptor = self._inotify.descriptor

    def clear(self) -> None:
        while self._inotify.wait(0):
            pass

    def close(self) -> None:
        self._stack.close()
