"""The labs of one test module, brought up on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.paths import REPOSITORY
from vm_harness.lab import evidence, retry
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab, down
from vm_harness.lab.machines import VirtualMachines
from vm_harness.lab.request import LabRequest
from vm_harness.machine.hypervisor import Hypervisor

T = TypeVar("T")

EVIDENCE = REPOSITORY / "evidence"


def hypervisor(lab: Lab) -> Hypervisor:
    """The connection to libvirtd of a lab of virtual machines."""
    assert isinstance(lab.machines, VirtualMachines)
    return lab.machines.hypervisor


class Labs:
    """Each lab has a directory of its own below `root`, by its name."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.running: list[Lab] = []
        self._used: dict[str, Directories] = {}

    def directories(self, name: str = "lab") -> Directories:
        path = self._root / name
        path.mkdir(exist_ok=True)
        return self._used.setdefault(name, Directories.of(path))

    def bring_up(self, name: str = "lab", **fields: Any) -> Lab:
        """`fields`: of `LabRequest`."""
        return self.run(lambda started: started, name, **fields)

    def take_down(self, which: Lab) -> None:
        self.running.remove(which)
        which.close()
        down(which.directories)

    def run(self, work: Callable[[Lab], T], name: str = "lab", **fields: Any) -> T:
        """Bring a lab up and call `work`; once more under emulation when a machine of the lab fails."""
        request = LabRequest(directories=self.directories(name), **fields)
        before = len(self.running)

        def remember_and_work(started: Lab) -> T:
            self.running.append(started)
            return work(started)

        def give_up_first() -> None:
            self.collect("first-try")
            for failed in self.running[before:]:
                self.take_down(failed)

        return retry.run(request, remember_and_work, before_retry=give_up_first)

    def collect(self, name: str) -> None:
        """Evidence of all labs, in ./evidence/`name`. A lab that is not running has only logs."""
        running = {each.directories.inputs: each for each in self.running}
        for directories in self._used.values():
            if directories.logs.exists():
                into = EVIDENCE / name / directories.inputs.name
                evidence.collect(directories, running.get(directories.inputs), into)
                evidence.show(into)
