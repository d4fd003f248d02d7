"""The serial console of one machine, read from its log."""

from __future__ import annotations

import re
import time
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.guest.machine import Watched
from vm_harness.machine.lifecycle import OFF_BEFORE_KERNEL, Failure, MachineFailed
from vm_harness.machine.log_reader import LogReader, end_of

KERNEL_LINE = re.compile(r"^(?:\[ *\d+\.\d{6}\] |Linux version \d)", re.MULTILINE)
"""A line of the guest's kernel. The first one is `[    0.000000] Linux version …`, or without a time where printk
prints none."""
PANIC = re.compile(r"Kernel panic - not syncing.*|\bdouble fault: .*|BUG: unable to handle .*")
BLANKS = re.compile(r" {8,}")
LAST_LINES = 25
WIDTH = 160


class Console:
    """Waits are in `vm_harness.guest.watch`: any machine that fails ends a wait for this console."""

    def __init__(self, machine: Watched, log: Path) -> None:
        self.machine = machine
        self.log = log
        self._boot = 0
        self._switched_on = time.monotonic()
        self._unchecked = LogReader(log, 0)
        self._kernel_seconds = 0.0
        self._kernel_due: float | None = None

    def begin_boot(self, kernel_seconds: float | None = None) -> None:
        """Called before the machine is switched on: later output belongs to this boot.

        `kernel_seconds`: until the kernel's first line, at most; None: no line is expected.
        """
        self.log.touch()
        self._boot = self.mark()
        self._switched_on = time.monotonic()
        self._unchecked = LogReader(self.log, self._boot)
        self._kernel_seconds = kernel_seconds or 0.0
        self._kernel_due = None if kernel_seconds is None else self._switched_on + kernel_seconds

    def end_boot(self) -> None:
        """Called before the machine is switched off: no line of a kernel is expected any more."""
        self._kernel_due = None

    def seconds_since_power_on(self) -> float:
        """Seconds since this process called `begin_boot`."""
        return time.monotonic() - self._switched_on

    def mark(self) -> int:
        """The end of the log, in bytes; as `since` it limits a search to later output."""
        return self.log.stat().st_size

    def reader(self, since: int | None = None) -> LogReader:
        """Reads the output since `since`, by default since power on."""
        return LogReader(self.log, self._boot if since is None else since)

    def last_lines(self, count: int = LAST_LINES) -> str:
        """The last `count` lines, folded at `WIDTH`: a boot loader draws its menu without line breaks."""
        lines = (BLANKS.sub("  ", line) for line in end_of(self.log).splitlines()[-count:])
        pieces = (line[at : at + WIDTH] for line in lines for at in range(0, len(line) or 1, WIDTH))
        return "\n".join(list(pieces)[-count:])

    @property
    def kernel_seconds_left(self) -> float | None:
        """Seconds until the kernel's first line is overdue; None if `check` has seen it, or none is expected."""
        return None if self._kernel_due is None else max(0.0, self._kernel_due - time.monotonic())

    def check(self) -> None:
        """Raises `MachineFailed` when the machine has stopped by itself, or its kernel has panicked or not started."""
        panic = None
        for text in self._unchecked.new_text():
            panic = panic or PANIC.search(text)
            if KERNEL_LINE.search(text):
                self._kernel_due = None
        left = self.kernel_seconds_left
        failure = self.machine.failure()
        if failure and not (failure.is_requested and left is None):
            raise self._failed(failure)
        if panic:
            raise self._failed(Failure("guest-kernel-panic", f"the guest's kernel died: {panic[0].strip()[:WIDTH]}"))
        if left is not None and not self.machine.is_on():
            raise self._failed(OFF_BEFORE_KERNEL)
        if left == 0:
            reason = f"no line of its kernel within {self._kernel_seconds:g} s of power on"
            raise self._failed(Failure("machine-silent", reason, blames_kvm=True))

    def wait_failed(self, code: str, why: str) -> Problem:
        """The error of a wait for this console. `why`: words that follow the machine's name."""
        return Problem(
            code=code, title=f"{self.machine.name}: {why}", detail=self.last_lines(), remedy=self._whole_console()
        )

    def _failed(self, failure: Failure) -> MachineFailed:
        detail = "\n".join([
            "the end of its console:", self.last_lines() or "(nothing)",
            "the end of the log of what runs it:", self.machine.end_of_log() or "(nothing)",
        ])  # fmt: skip
        return MachineFailed(
            self.machine.name, self.machine.acceleration, self.machine.guest, failure,
            detail=detail, remedy=self._whole_console(),
        )  # fmt: skip

    def _whole_console(self) -> str:
        return f"The whole console is {self.log}."
