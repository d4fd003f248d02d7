"""The cached base ISO, and directories with inputs for labs, for the bench."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from vm_harness.lab import lab as labs
from vm_harness.lab import retry
from vm_harness.lab.cluster import image, keys, made_up
from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest

# Real hosts' timers: the plain tools have those, too.
SNO = replace(TOPOLOGIES["sno"], kernel_arguments=())
# Its first host is the same as SNO's, but waits for two other masters, which do not exist: it stays live.
WAITING = replace(SNO, masters=3)


class Bench:
    """`directory`: empty, and on a disk."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.base_iso = Path(self.cluster0("image", "build").strip())

    def cluster0(self, *arguments: str) -> str:
        """The standard output of `cluster0 ARGUMENTS`."""
        argv = [image.cluster0(), *arguments]
        return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout

    def site(self, name: str, topology: Topology) -> Directories:
        """A directory with inputs for `topology`."""
        directories = Directories.of(self.directory / name)
        directories.make()
        keys.ensure(directories)
        made_up.write(directories.inputs, topology, keys.public_key(directories))
        return directories

    def image(self, directories: Directories) -> Path:
        return self._image(directories.inputs)

    def waiting_image(self, directories: Directories) -> Path:
        """An ISO whose first host waits for hosts that do not exist."""
        other = directories.root / "waiting"
        other.mkdir()
        made_up.write(other, WAITING, keys.public_key(directories))
        return self._image(other)

    def _image(self, inputs_directory: Path) -> Path:
        self.cluster0("create", "image", "--dir", str(inputs_directory), "--base-iso", str(self.base_iso))
        return inputs_directory / "agent.x86_64.iso"


@contextmanager
def lab(request: LabRequest) -> Iterator[Lab]:
    lab = retry.run(request, lambda started: started)
    try:
        yield lab
    finally:
        lab.close()
        labs.down(request.directories)


@contextmanager
def timed() -> Iterator[list[float]]:
    """Yields a list that afterwards holds one item, the seconds the block took."""
    seconds: list[float] = []
    start = time.monotonic()
    yield seconds
    seconds.append(time.monotonic() - start)
