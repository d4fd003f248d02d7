"""What the bench measures on: the cached base ISO, and directories with inputs for labs."""

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

# With the timers that a real host has: what we compare with has them, too.
SNO = replace(TOPOLOGIES["sno"], kernel_arguments=())
# Its first host is the single node's, but it waits for two others, which never come: it stays live.
WAITING = replace(SNO, masters=3)


class Bench:
    """`directory` is empty and on a disk, not in memory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.base_iso = Path(self.cluster0("image", "build").strip())

    def cluster0(self, *arguments: str) -> str:
        """What `cluster0 ARGUMENTS` prints."""
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
        """An ISO whose cluster has hosts that the site has no machines for."""
        elsewhere = directories.root / "waiting"
        elsewhere.mkdir()
        made_up.write(elsewhere, WAITING, keys.public_key(directories))
        return self._image(elsewhere)

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
