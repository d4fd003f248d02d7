"""The cached base ISO, directories with inputs for labs, and labs that end, for the bench."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from cli.command import run
from vm_harness.lab import lab as labs
from vm_harness.lab import retry
from vm_harness.lab.cluster import image, keys, made_up
from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest

TIMEOUT_SECONDS = 600.0

# Real hosts' timers: the plain tools have those, too.
SNO = replace(TOPOLOGIES["sno"], kernel_arguments=())
# Its first host is the same as SNO's, but waits for two other masters, which do not exist: it stays live.
WAITING = replace(SNO, masters=3)


class Bench:
    """`directory`: empty, and on a disk."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @cached_property
    def base_iso(self) -> Path:
        """From the cache, or built: minutes."""
        built = subprocess.run([image.cluster0(), "image", "build"], check=True, stdout=subprocess.PIPE, text=True)
        return Path(built.stdout.strip())

    def cluster0(self, *arguments: str) -> str:
        """The standard output of `cluster0 ARGUMENTS`. Raises `Problem` with the end of the output when it fails."""
        return run([image.cluster0(), *arguments], timeout=TIMEOUT_SECONDS).stdout

    def site(self, name: str, topology: Topology) -> Directories:
        """The directory `name`, with inputs for `topology`."""
        directories = Directories.of(self.directory / name)
        directories.make()
        keys.ensure(directories)
        made_up.write(directories.inputs, topology, keys.public_key(directories))
        return directories

    def image(self, directories: Directories, *options: str) -> Path:
        return self._image(directories.inputs, *options)

    def waiting_image(self, directories: Directories) -> Path:
        """An ISO whose first host waits for hosts that do not exist."""
        other = directories.root / "waiting"
        other.mkdir(exist_ok=True)
        made_up.write(other, WAITING, keys.public_key(directories))
        return self._image(other)

    def _image(self, inputs_directory: Path, *options: str) -> Path:
        where = ("--dir", str(inputs_directory), "--base-iso", str(self.base_iso))
        self.cluster0("create", "image", *where, *options)
        return inputs_directory / "agent.x86_64.iso"


@contextmanager
def lab(request: LabRequest) -> Iterator[Lab]:
    """Up while the block runs."""
    lab = retry.run(request, lambda started: started)
    try:
        yield lab
    finally:
        lab.close()
        labs.down(request.directories)


def hosts_of(lab: Lab) -> str:
    """What plays the hosts, for the figures' page."""
    return "VM, emulated" if lab.acceleration.is_emulation else "VM, KVM"
