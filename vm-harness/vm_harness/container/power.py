"""A container host's power: on, cut, and whether it has failed since; the same verbs as those of a virtual machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from agent.machine.files import Files
from agent.model.problems import Problem
from vm_harness.container import media, power_cut
from vm_harness.container.control_groups import ControlGroup, Hierarchies
from vm_harness.container.machine import ContainerMachine, Outcome
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.lifecycle import Failure, MachineFailed, PowerState, Shutoff, State
from vm_harness.machine.log_reader import end_of
from vm_harness.processes import spawn

START_SECONDS = 20.0
LAST_LINES = 15
"""Of the runner's own output."""


class ContainerPower:
    """One machine. Any process may hold one; the runner is a process of its own."""

    guest = ""
    acceleration = Acceleration.NATIVE

    def __init__(self, machine: ContainerMachine) -> None:
        self.machine = machine
        self.name = machine.name
        self.group = ControlGroup(Hierarchies.of_this_computer(), machine.lab, machine.name)

    def on(self) -> None:
        """Raises `MachineFailed` (`machine-not-started`) when the runner does not start."""
        machine = self.machine
        machine.runtime.mkdir(mode=0o711, parents=True, exist_ok=True)
        machine.outcome.unlink(missing_ok=True)
        Files(machine.runtime).write(machine.specification.name, msgspec.json.encode(machine, enc_hook=os.fspath))
        argv = [
            "unshare",
            "--mount",
            "--propagation=private",
            sys.executable,
            "-P",
            "-m",
            "vm_harness.container.runner",
        ]
        runner = spawn([*argv, os.fspath(machine.specification)], log=machine.runner_log, environment={})
        if not self.group.wait_until_populated(runner, START_SECONDS):
            raise MachineFailed(
                self.name, self.acceleration, self.guest, Failure("machine-not-started", "it does not start"),
                detail=self.end_of_log(), remedy=f"The runner's log is {machine.runner_log}.",
            )  # fmt: skip

    def cut(self) -> None:
        """Switch off at once: what is not on the disk yet is lost. Being off is then no failure."""
        if self.group.is_populated():
            self.group.freeze()
            for process in self.group.processes():
                power_cut.stop_writing(process, self.machine.disk.name)
            Files(self.machine.runtime).write(self.machine.outcome.name, msgspec.json.encode(Outcome()))
            self.group.kill()

    def is_on(self) -> bool:
        return self.group.is_populated()

    def state(self) -> PowerState:
        if self.group.is_frozen():
            return PowerState(State.PAUSED, 0)
        if self.group.is_populated():
            return PowerState(State.RUNNING, 0)
        if not self.machine.specification.exists():
            return PowerState(State.SHUTOFF, Shutoff.UNKNOWN)
        return PowerState(State.SHUTOFF, Shutoff.SHUTDOWN if self._outcome() == Outcome() else Shutoff.CRASHED)

    def failure(self) -> Failure | None:
        """Why the machine does not run; None when it runs, was switched off on request, or was never on."""
        if self.group.is_frozen():
            return Failure("machine-paused", "its control group is frozen")
        if self.group.is_populated():
            return None
        outcome = self._outcome()
        if outcome is None:
            return Failure("machine-crashed", "its runner has ended without a request")
        return Failure("machine-crashed", outcome.failure) if outcome.failure else None

    def end_of_log(self) -> str:
        """The last lines that the runner itself printed."""
        return "\n".join(end_of(self.machine.runner_log).splitlines()[-LAST_LINES:])

    def eject_medium(self) -> None:
        """Take the medium out: from now on it cannot be read."""
        media.eject(self.machine.medium, self.machine.no_medium)

    def insert_medium(self, iso: Path) -> None:
        """Put a medium with the content of `iso` in."""
        medium = media.make(iso, self.machine.disk_image.with_suffix(".medium"))
        media.insert(self.machine.medium, medium, self.machine.no_medium)

    def screenshot(self, image: Path) -> None:
        raise Problem(code="no-display", title=f"{self.name} is a container: it has no display", detail=str(image))

    def registers(self) -> str:
        raise Problem(code="no-display", title=f"{self.name} is a container: it has no processor of its own")

    def interactive_console(self) -> list[str]:
        """The argv that connects a terminal to the serial console; Ctrl-] ends it."""
        return ["socat", "-,raw,echo=0,escape=0x1d", f"UNIX-CONNECT:{self.machine.console_socket}"]

    def _outcome(self) -> Outcome | None:
        """How the last boot ended; None when its runner was killed."""
        if not self.machine.specification.exists():
            return Outcome()  # never switched on
        try:
            return msgspec.json.decode(self.machine.outcome.read_bytes(), type=Outcome)
        except FileNotFoundError:
            return None
