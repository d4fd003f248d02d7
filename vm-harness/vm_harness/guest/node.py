"""A host of the lab for tests. The methods are named as in the NixOS test driver, where it has them.

Every wait ends early when any machine of the lab stops by itself (`MachineFailed`), when this one is switched off, or
when the wait cannot succeed any more.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from agent.model.problems import Problem
from cli.command import Finished
from vm_harness.guest.console import Console
from vm_harness.guest.machine import Machine
from vm_harness.guest.ssh import NO_CONNECTION, Ssh
from vm_harness.guest.watch import Watch
from vm_harness.machine.lifecycle import MachineFailed

PAUSE_SECONDS = 1.0
"""The longest pause between two commands over SSH; output on the console ends it early."""
COMMAND_SECONDS = 60.0


class Node:
    """One machine: its power, its console, its shell."""

    def __init__(
        self, machine: Machine, disks: Sequence[Path], kernel_seconds: float | None, console: Console, watch: Watch,
        ssh: Ssh,
    ) -> None:  # fmt: skip
        self.name = machine.name
        self.address = ssh.address
        self.disks = tuple(disks)
        self.machine = machine
        self.console = console
        self.ssh = ssh
        self._kernel_seconds = kernel_seconds
        self._watch = watch

    # --- power and media

    def start(self) -> None:
        """Switch it on. Later output on the console belongs to this boot."""
        self.console.begin_boot(self._kernel_seconds)
        self.machine.on()

    def crash(self) -> None:
        """Cut the power: nothing is flushed, and the guest is not notified."""
        self.console.end_boot()
        self.machine.cut()
        self.ssh.close_connection()

    def eject_medium(self) -> None:
        """Eject the CD, or unplug the stick."""
        self.machine.eject_medium()

    def insert_medium(self, iso: Path) -> None:
        """Put a CD into the drive."""
        self.machine.insert_medium(iso)

    def screenshot(self, image: Path) -> None:
        """The display's content, as PNG. Raises `Problem` (`no-display`) for a container."""
        self.machine.screenshot(image)

    # --- console

    def wait_for_console_text(self, pattern: str, *, timeout: float = 300, since: int | None = None) -> re.Match[str]:
        """Wait until output of the serial console since power on matches the regular expression."""
        return self._watch.wait_for_text(self.console, pattern, timeout=timeout, since=since)

    def wait_for_reboot(self, *, timeout: float = 300, since: int | None = None) -> None:
        """Wait until the guest's kernel announces a restart, then close the shared SSH connection."""
        self.wait_for_console_text(r"reboot: Restarting system", timeout=timeout, since=since)
        self.ssh.close_connection()

    # --- shell

    def execute(self, command: str, *, timeout: float = COMMAND_SECONDS) -> Finished:
        """Run a shell line as `core`; the caller checks the exit code.

        Raises `Problem` (`no-ssh`) when the guest does not answer.
        """
        finished = self.ssh.run(command, timeout=timeout, while_waiting=self._watch.check)
        if finished.exit_code == NO_CONNECTION:
            self._watch.check()
            raise Problem(
                code="no-ssh", title=f"{self.name}: SSH to {self.address} fails", detail=finished.stderr.strip()
            )
        return finished

    def succeed(self, command: str, *, timeout: float = COMMAND_SECONDS) -> str:
        """The command's standard output. Raises `Problem` (`guest-command`) when it fails."""
        finished = self.execute(command, timeout=timeout)
        if finished.exit_code != 0:
            self._fail(finished, f"exit code {finished.exit_code} from: {command}")
        return finished.stdout

    def fail(self, command: str, *, timeout: float = COMMAND_SECONDS) -> str:
        """The command's output. Raises `Problem` (`guest-command`) when it succeeds."""
        finished = self.execute(command, timeout=timeout)
        if finished.exit_code == 0:
            self._fail(finished, f"should fail, but succeeds: {command}")
        return finished.stdout + finished.stderr

    def wait_for_ssh(self, *, timeout: float = 300) -> None:
        """Wait until a login succeeds."""
        self.wait_until_succeeds("true", timeout=timeout)

    def wait_until_succeeds(self, command: str, *, timeout: float = 300) -> str:
        """Repeat the command until it succeeds, and return its standard output. An unreachable guest is no failure."""
        deadline = time.monotonic() + timeout
        while True:
            finished = self._try(command)
            if finished.exit_code == 0:
                return finished.stdout
            if time.monotonic() >= deadline:
                self._fail(finished, f"still exit code {finished.exit_code} after {timeout:g} s: {command}")
            self._pause()

    def wait_for_unit(self, unit: str, *, timeout: float = 300) -> None:
        """Wait until the systemd unit is active. Raises `Problem` (`unit-failed`) at once when it has failed."""
        deadline, seen = time.monotonic() + timeout, "unknown"
        while seen != "active":
            finished = self._try(f"systemctl show --value --property=ActiveState -- {unit}")
            seen = finished.stdout.strip() or "unknown"
            if seen == "failed":
                status = self.execute(f"systemctl status --no-pager --lines=20 -- {unit}").stdout
                raise Problem(code="unit-failed", title=f"{self.name}: {unit} has failed", detail=status)
            if seen != "active":
                if time.monotonic() >= deadline:
                    self._fail(finished, f"{unit} is still {seen} after {timeout:g} s")
                self._pause()

    def _try(self, command: str) -> Finished:
        """Like `execute`, but an unreachable guest is exit code `NO_CONNECTION`: it may be booting."""
        try:
            return self.ssh.run(command, timeout=COMMAND_SECONDS, while_waiting=self._watch.check)
        except MachineFailed:
            raise
        except Problem as problem:
            self.ssh.close_connection()
            return Finished(tuple(self.ssh.argv(command)), NO_CONNECTION, "", problem.title)

    def _pause(self) -> None:
        self._watch.check()
        if not self.machine.is_on():
            raise Problem(
                code="machine-off", title=f"{self.name}: the machine is off", detail=self.console.last_lines()
            )
        self._watch.wait(PAUSE_SECONDS)

    def _fail(self, finished: Finished, why: str) -> NoReturn:
        raise Problem(
            code="guest-command", title=f"{self.name}: {why}", detail=(finished.stdout + finished.stderr).strip()
        )
