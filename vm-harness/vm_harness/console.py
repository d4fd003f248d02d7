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
        self.start_of_boot = 0
        """Where in the log (bytes) the machine was last switched on."""

    def mark(self) -> int:
        """The place the log has reached; pass it as `since` to look only at what comes after."""
        return self.log.stat().st_size if self.log.exists() else 0

    def text(self, since: int | None = None) -> str:
        """What was printed since `since` (bytes; default: since power on), without colours and cursor movements."""
        with self.log.open("rb") as log:
            log.seek(self.start_of_boot if since is None else since)
            return ESCAPES.sub("", log.read().decode(errors="replace"))

    def last_lines(self, count: int = LAST_LINES) -> str:
        return "\n".join(self.text(0).splitlines()[-count:])

    def check_kernel(self) -> None:
        """Raises `Problem` (`guest-kernel-panic`) when the guest's kernel has died since power on."""
        if died := PANIC.search(self.text()):
            raise Problem(
                code="guest-kernel-panic", title=f"{self._machine}: the guest's kernel died: {died[0].strip()}",
                detail=self.last_lines(), remedy=f"The whole console is {self.log}.",
            )  # fmt: skip

    def wait_for(self, pattern: str, *, timeout: float, since: int | None = None) -> re.Match[str]:
        """The first match of `pattern` in what is printed since `since`, as soon as it is there.

        Raises `Problem`: `guest-kernel-panic`; `machine-off` when the machine goes off while waiting; `console-
        timeout`.
        """
        wanted, deadline = re.compile(pattern, re.MULTILINE), time.monotonic() + timeout
        with ExitStack() as stack:
            growth = stack.enter_context(watch(self.log))
            others = self._end_of_machine(stack)
            while True:
                is_on = self._qemu() is not None
                if found := wanted.search(self.text(since)):
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

    def _end_of_machine(self, stack: ExitStack) -> list[int]:
        qemu = self._qemu()
        try:
            return [stack.enter_context(qemu.handle())] if qemu else []
        except ProcessLookupError:
            return []

    def _gave_up(self, code: str, why: str) -> Problem:
        remedy = f"The whole console is {self.log}."
        return Problem(code=code, title=f"{self._machine}: {why}", detail=self.last_lines(), remedy=remedy)
