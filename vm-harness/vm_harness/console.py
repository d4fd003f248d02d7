"""The serial console as it is written to its log: reading, waiting for words, noticing that the guest's kernel died."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from agent.api.problems import Problem
from vm_harness.growth import watch
from vm_harness.processes import ProcessId

PANIC = re.compile(r"Kernel panic - not syncing.*|\bdouble fault: .*|BUG: unable to handle .*")
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][0-9A-B]|[=>78cDM])|\r|\x00")
LAST_LINES = 25


class Console:
    """One machine's serial log. `qemu` tells the process that writes it, None when the machine is off."""

    def __init__(self, machine: str, log: Path, qemu: Callable[[], ProcessId | None]) -> None:
        self._machine = machine
        self._qemu = qemu
        self.log = log
        self._boot = self._checked = 0

    def begin_boot(self) -> None:
        """The machine is about to be switched on: what is printed from here on is this boot's."""
        self.log.touch()
        self._boot = self._checked = self.mark()

    def mark(self) -> int:
        """The place the log has reached; pass it as `since` to look only at what comes after."""
        return self.log.stat().st_size

    def last_lines(self, count: int = LAST_LINES) -> str:
        return "\n".join(self._read(0)[0].splitlines()[-count:])

    def check_kernel(self) -> None:
        """Raises `Problem` (`guest-kernel-panic`) when the guest's kernel has died since power on."""
        text, after = self._read(self._checked)
        if died := PANIC.search(text):
            raise self._gave_up("guest-kernel-panic", f"the guest's kernel died: {died[0].strip()}")
        self._checked = after

    def wait_for(self, pattern: str, *, timeout: float, since: int | None = None) -> re.Match[str]:
        """The first match of `pattern`, within a line, in what is printed since `since` (default: since power on).

        Raises `Problem`: `guest-kernel-panic`, `console-timeout`, `machine-off` when it goes off while waiting.
        """
        wanted, deadline = re.compile(pattern, re.MULTILINE), time.monotonic() + timeout
        place = self._boot if since is None else since
        with ExitStack() as stack:
            growth = stack.enter_context(watch(self.log))
            others = self._end_of_machine(stack)
            while True:
                is_on = self._qemu() is not None  # asked first: what it printed before it went off counts
                text, place = self._read(place)
                if found := wanted.search(text):
                    return found
                self.check_kernel()
                if not is_on:
                    raise self._gave_up("machine-off", f"the machine is off, and never printed {pattern!r}")
                if time.monotonic() >= deadline:
                    raise self._gave_up("console-timeout", f"no {pattern!r} on the console within {timeout:g} s")
                growth.wait(deadline - time.monotonic(), *others)

    def pause(self, seconds: float) -> None:
        """Let the guest get on: returns when it prints something, ends, or `seconds` have passed. Checks its kernel."""
        with ExitStack() as stack:
            growth = stack.enter_context(watch(self.log))
            growth.wait(seconds, *self._end_of_machine(stack))
        self.check_kernel()

    def _read(self, place: int) -> tuple[str, int]:
        """The text from `place` on, without colours and cursor movements, and the place to read from next time: the
        start of the last line, which may still grow."""
        with self.log.open("rb") as log:
            log.seek(place)
            data = log.read()
        return ESCAPES.sub("", data.decode(errors="replace")), place + data.rfind(b"\n") + 1

    def _end_of_machine(self, stack: ExitStack) -> list[int]:
        qemu = self._qemu()
        try:
            return [stack.enter_context(qemu.handle())] if qemu else []
        except ProcessLookupError:
            return []

    def _gave_up(self, code: str, why: str) -> Problem:
        remedy = f"The whole console is {self.log}."
        return Problem(code=code, title=f"{self._machine}: {why}", detail=self.last_lines(), remedy=remedy)
