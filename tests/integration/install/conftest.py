"""A real block device to install on, and this machine's disk tools."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.install.layout import Layout
from agent.install.plan import carry_out, plan
from agent.install.probe import disk_content
from agent.machine import Files, Machine, Processes
from tests.fakes.agent.machine import Programs
from tests.fakes.inputs.intents import CLUSTER_ID
from tests.fakes.system.loop_disk import loop_disk

HOST_ID = "5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e99"
DISK_SIZE = 32 << 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Layout]:
    with loop_disk(tmp_path, DISK_SIZE) as path:
        yield Layout(disk=path, cluster_id=CLUSTER_ID, host_id=HOST_ID)


@pytest.fixture
def machine() -> Iterator[Machine]:
    """This machine's disks and tools; everything else of it is in a directory. There is no udevd to wait for."""
    with tempfile.TemporaryDirectory(prefix="cluster0-machine-") as name:
        directory = Path(name)
        directory.chmod(0o755)  # Ignition writes a user's keys as that user
        programs = Programs(directory / "bin")
        programs.add("udevadm")
        (directory / "root").mkdir()
        for link in ("dev", "proc"):
            (directory / "root" / link).symlink_to(f"/{link}")
        path = f"{programs.directory}:/usr/sbin:/usr/bin:/sbin:/bin"
        yield Machine(files=Files(directory / "root"), processes=Processes({"PATH": path}))


@pytest.fixture
async def partitioned(machine: Machine, disk: Layout) -> Layout:
    await carry_out(machine, plan(await disk_content(machine, disk.disk), disk, consent=False))
    return disk
