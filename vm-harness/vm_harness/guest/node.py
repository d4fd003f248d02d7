"""A host of the lab as tests speak of it. The verbs are those of the NixOS test driver, where there is one.

Every wait ends early when any machine of the lab stops by itself (`MachineFailed`), when this one goes off, or when
what is waited for cannot come any more.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import NoReturn

from agent.model.problems import Problem
from cli.command import Finished
from vm_harness.guest.console import Console
from vm_harness.guest.ssh import NO_CONNECTION, Ssh
from vm_harness.guest.watch import Watch
from vm_harness.machine.domain import medium_device
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.machine.lifecycle import MachineFailed
from vm_harness.machine.machines import LabMachine
from vm_harness.machine.media import Medium
from vm_harness.machine.power import Power

PAUSE_SECONDS = 1.0
"""The longest rest between two questions over SSH; a line on the console ends it early."""
COMMAND_SECONDS = 60.0


class Node:
    """One machine: its power, its console, its shell."""

    def __init__(
        self, machine: LabMachine, hypervisor: Hypervisor, power: Power, console: Console, watch: Watch, ssh: Ssh
    ) -> None:
        self.name = machine.domain.name
        self.address = ssh.address
        self.disks = tuple(disk.image for disk in machine.domain.disks)
        self.power = power
        self.console = console
        self.ssh = ssh
        self._machine = machine
        self._domain = machine.domain
        self._hypervisor = hypervisor
        self._watch = watch

    # --- power and media

    def start(self) -> None:
        """Switch it on. What the console says from here on is this boot's."""
        self.console.begin_boot(self._machine.kernel_seconds)
        self.power.on()

    def crash(self) -> None:
        """Cut the power: nothing is flushed, nobody is told."""
        self.console.end_boot()
        self.power.cut()
        self.ssh.close_connection()

    def eject_medium(self) -> None:
        """Open the CD drive, or pull the stick."""
        if self._domain.medium_kind is Medium.CDROM:
            self._hypervisor.change_medium(self.name, medium_device(self._domain, None))
        else:
            self._hypervisor.unplug(self.name, medium_device(self._domain, self._domain.medium))

    def insert_medium(self, iso: Path) -> None:
        """Put a CD into the drive."""
        self._hypervisor.change_medium(self.name, medium_device(self._domain, iso))

    def screenshot(self, picture: Path) -> None:
        """What the VGA shows, as PNG."""
        self._hypervisor.screenshot(self.name, picture)

    def registers(self) -> str:
        """Where each virtual CPU is, for people."""
        return self._hypervisor.registers(self.name)

    # --- console

    def wait_for_console_text(self, pattern: str, *, timeout: float = 300, since: int | None = None) -> re.Match[str]:
        """Until the serial console has printed something that matches (regular expression) since power on."""
        return self._watch.wait_for_text(self.console, pattern, timeout=timeout, since=since)

    def wait_for_reboot(self, *, timeout: float = 300, since: int | None = None) -> None:
        """Until the guest's kernel has said that it restarts the machine; the shared SSH connection is dropped."""
        self.wait_for_console_text(r"reboot: Restarting system", timeout=timeout, since=since)
        self.ssh.close_connection()

    # --- shell

    def execute(self, command: str, *, timeout: float = COMMAND_SECONDS) -> Finished:
        """Run a shell line as `core`; the exit code is the caller's to judge.

        Raises `Problem` (`no-ssh`) when nobody answers.
        """
        finished = self.ssh.run(command, timeout=timeout, while_waiting=self._watch.check)
        if finished.exit_code == NO_CONNECTION:
            self._watch.check()
            raise Problem(
                code="no-ssh", title=f"{self.name}: SSH to {self.address} fails", detail=finished.stderr.strip()
            )
        return finished

    def succeed(self, command: str, *, timeout: float = COMMAND_SECONDS) -> str:
        """What the command prints. Raises `Problem` (`guest-command`) when it fails."""
        finished = self.execute(command, timeout=timeout)
        if finished.exit_code != 0:
            self._blame(finished, f"exit code {finished.exit_code} from: {command}")
        return finished.stdout

    def fail(self, command: str, *, timeout: float = COMMAND_SECONDS) -> str:
        """What the command prints while failing. Raises `Problem` (`guest-command`) when it succeeds."""
        finished = self.execute(command, timeout=timeout)
        if finished.exit_code == 0:
            self._blame(finished, f"should fail, but succeeds: {command}")
        return finished.stdout + finished.stderr

    def wait_for_ssh(self, *, timeout: float = 300) -> None:
        """Until a login works."""
        self.wait_until_succeeds("true", timeout=timeout)

    def wait_until_succeeds(self, command: str, *, timeout: float = 300) -> str:
        """Run the command again and again until it succeeds; what it printed then.

        An unreachable guest is not yet a failure.
        """
        deadline = time.monotonic() + timeout
        while True:
            finished = self._ask(command)
            if finished.exit_code == 0:
                return finished.stdout
            if time.monotonic() >= deadline:
                self._blame(finished, f"still exit code {finished.exit_code} after {timeout:g} s: {command}")
            self._rest()

    def wait_for_unit(self, unit: str, *, timeout: float = 300) -> None:
        """Until the systemd unit is active. Raises `Problem` (`unit-failed`) at once when it has failed."""
        deadline, seen = time.monotonic() + timeout, "unknown"
        while seen != "active":
            finished = self._ask(f"systemctl show --value --property=ActiveState -- {unit}")
            seen = finished.stdout.strip() or "unknown"
            if seen == "failed":
                status = self.execute(f"systemctl status --no-pager --lines=20 -- {unit}").stdout
                raise Problem(code="unit-failed", title=f"{self.name}: {unit} has failed", detail=status)
            if seen != "active":
                if time.monotonic() >= deadline:
                    self._blame(finished, f"{unit} is still {seen} after {timeout:g} s")
                self._rest()

    def _ask(self, command: str) -> Finished:
        """Like `execute`, but no answer is an answer, from a guest that boots or left a dead connection."""
        try:
            return self.ssh.run(command, timeout=COMMAND_SECONDS, while_waiting=self._watch.check)
        except MachineFailed:
            raise
        except Problem as problem:
            self.ssh.close_connection()
            return Finished(tuple(self.ssh.argv(command)), NO_CONNECTION, "", problem.title)

    def _rest(self) -> None:
        self._watch.check()
        if not self.power.is_on():
            raise Problem(
                code="machine-off", title=f"{self.name}: the machine is off", detail=self.console.last_lines()
            )
        self._watch.wait(PAUSE_SECONDS)

    def _blame(self, finished: Finished, why: str) -> NoReturn:
        raise Problem(
            code="guest-command", title=f"{self.name}: {why}", detail=(finished.stdout + finished.stderr).strip()
        )
