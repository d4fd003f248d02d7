"""The cached base ISO, directories with inputs for labs, and labs that end, for the bench."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from cli.cluster_directory import ISO
from cli.command import run
from tests.base_iso import built_base_iso, own_base_iso
from vm_harness.container.machine import ContainerMachine
from vm_harness.lab import lab as labs
from vm_harness.lab import retry
from vm_harness.lab.cluster import image, keys, made_up
from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.machine.accel import Acceleration

TIMEOUT_SECONDS = 600.0
HOSTS = {
    Acceleration.NATIVE: "containers",
    Acceleration.KVM: "VMs, KVM",
    Acceleration.EMULATION: "VMs, emulated",
}

# Real hosts' timers: the plain tools have those, too.
SNO = replace(TOPOLOGIES["sno"], kernel_arguments=())
# Its first host is the same as SNO's, but waits for two other masters, which do not exist: it stays live.
WAITING = replace(SNO, masters=3)


class Bench:
    """`directory`: empty, and on a disk. `machines`: what plays the hosts where a figure leaves the choice."""

    def __init__(self, directory: Path, machines: MachineKind = MachineKind.CONTAINER) -> None:
        self.directory = directory
        self.machines = machines

    @cached_property
    def base_iso(self) -> Path:
        return own_base_iso(built_base_iso(), self.directory)

    def cluster0(self, *arguments: str) -> str:
        """The standard output of `cluster0 ARGUMENTS`. Raises `Problem` with the end of the output when it fails."""
        return run([image.cluster0(), *arguments], timeout=TIMEOUT_SECONDS).stdout

    @contextmanager
    def site(self, topology: Topology, machines: MachineKind = MachineKind.VM) -> Iterator[LabRequest]:
        """For a lab in a new directory, which has inputs for `topology`. The directory ends with the block."""
        with tempfile.TemporaryDirectory(prefix="site-", dir=self.directory) as path:
            directories = Directories.of(Path(path))
            directories.make()
            keys.ensure(directories)
            request = LabRequest(directories=directories, topology=topology, machines=machines)
            made_up.write(directories.inputs, request.made_up_topology, keys.public_key(directories))
            yield request

    def image(self, request: LabRequest, *options: str) -> Path:
        """The ISO of the site's inputs. `options`: of `create image`."""
        return self._image(request.directories.inputs, *options)

    def waiting_image(self, request: LabRequest) -> Path:
        """An ISO whose first host waits for hosts that do not exist."""
        directories = request.directories
        other = directories.root / "waiting"
        other.mkdir()
        made_up.write(other, WAITING, keys.public_key(directories))
        return self._image(other)

    def _image(self, inputs_directory: Path, *options: str) -> Path:
        where = ("--dir", str(inputs_directory), "--base-iso", str(self.base_iso))
        self.cluster0("create", "image", *where, *options)
        return inputs_directory / ISO


@contextmanager
def lab(request: LabRequest, iso: Path) -> Iterator[Lab]:
    """Up while the block runs, from `iso`."""
    lab = retry.run(replace(request, iso=iso), lambda started: started)
    try:
        yield lab
    finally:
        lab.close()
        labs.down(request.directories)


def disk_of(lab: Lab) -> str:
    """The device of the first host's disk, on that host."""
    machine = lab.state.machines[0]
    return str(machine.disk) if isinstance(machine, ContainerMachine) else "/dev/vda"


def hosts_of(lab: Lab) -> str:
    """What plays the hosts, for the figures' page."""
    return HOSTS[lab.acceleration]
