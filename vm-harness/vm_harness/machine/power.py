"""One machine's power: on, cut, and whether it has failed since."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agent.model.problems import Problem
from vm_harness.machine.domain import medium_device
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.machine.lifecycle import FAILURES, Failure, MachineFailed, PowerState
from vm_harness.machine.log_reader import end_of
from vm_harness.machine.machines import LabMachine
from vm_harness.machine.media import Medium

LAST_LINES = 15
LONGEST_LINE = 200


class Power:
    """`log`: of QEMU, for its last output before it stopped."""

    def __init__(self, machine: LabMachine, hypervisor: Hypervisor, log: Path) -> None:
        self.name = machine.domain.name
        self._domain = machine.domain
        self.acceleration = machine.domain.acceleration
        self.guest = machine.guest
        self.log = log
        self._hypervisor = hypervisor
        self._is_cut = False
        self._known: tuple[int, PowerState] | None = None

    def on(self) -> None:
        """Raises `MachineFailed` (`machine-not-started`) when QEMU does not start."""
        self._is_cut, self._known = False, None
        try:
            self._hypervisor.start(self.name)
        except Problem as problem:
            # QEMU fails for many reasons; only its own message shows that KVM is the cause.
            failure = Failure("machine-not-started", "it does not start", blames_kvm="kvm" in problem.detail.lower())
            remedy = f"QEMU's log is {self.log}."
            raise MachineFailed(
                self.name, self.acceleration, self.guest, failure, detail=problem.detail, remedy=remedy
            ) from problem  # fmt: skip

    def cut(self) -> None:
        """Switch off at once: nothing is flushed. Being off is then no failure."""
        self._is_cut, self._known = True, None
        if qemu := self._hypervisor.process(self.name):
            qemu.kill()
        self._hypervisor.destroy(self.name)

    def is_on(self) -> bool:
        return self.state().is_on

    def state(self) -> PowerState:
        """The machine's power state: libvirt is queried only if an event has come since the last call."""
        events = self._hypervisor.events.count
        if self._known is None or self._known[0] != events:
            self._known = events, self._hypervisor.power_state(self.name)
        return self._known[1]

    def failure(self) -> Failure | None:
        """The row of `FAILURES` for the machine's state; None when it runs, is off on request, or was cut by `cut`."""
        if self._is_cut:
            return None
        seen = self.state()
        failure = FAILURES.get((seen.state, seen.reason))
        if failure is not None and seen.qemu:
            return msgspec.structs.replace(failure, reason=f"{failure.reason} ({seen.qemu})")
        return failure

    def eject_medium(self) -> None:
        """Eject the CD, or unplug the stick."""
        if self._domain.medium_kind is Medium.CDROM:
            self._hypervisor.change_medium(self.name, medium_device(self._domain, None))
        else:
            self._hypervisor.unplug(self.name, medium_device(self._domain, self._domain.medium))

    def insert_medium(self, iso: Path) -> None:
        """Put a CD into the drive."""
        self._hypervisor.change_medium(self.name, medium_device(self._domain, iso))

    def screenshot(self, image: Path) -> None:
        """The VGA's content, as PNG."""
        self._hypervisor.screenshot(self.name, image)

    def registers(self) -> str:
        """The registers of each virtual CPU, as QEMU prints them."""
        return self._hypervisor.registers(self.name)

    def interactive_console(self) -> list[str]:
        """The argv that connects a terminal to the serial console; Ctrl-] ends it."""
        return ["virsh", "-c", self._hypervisor.uri, "console", "--force", self.name]

    def end_of_log(self) -> str:
        """QEMU's output since its start, without the command line that libvirt writes to the same file."""
        text = end_of(self.log).rpartition(": starting up libvirt")[2]
        lines = text.splitlines()[1:]
        own = [line[:LONGEST_LINE] for line in lines if not line.startswith("-") and not line.endswith("\\")]
        return "\n".join(own[-LAST_LINES:])
