"""Faults below a disk, on real loop devices: what a host reads and writes, and that `lab down` leaves nothing."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.integration.lab.container_groups import made_group
from vm_harness.container import loops
from vm_harness.container.control_groups import Hierarchies
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults import disk, medium
from vm_harness.faults.fault import Target
from vm_harness.faults.table import find
from vm_harness.network.namespace import Namespace

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for loop devices")]

MIB = 1 << 20
HAS_BLKIO = any(path.name == "blkio" for path in Hierarchies.of_this_computer().legacy)


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    image = tmp_path / "node0.img"
    with image.open("wb") as file:
        file.truncate(64 * MIB)
    device = loops.attach_disk(image)
    with made_group() as group:
        machine = ContainerMachine(
            name="node0", number=0, lab=group.lab, namespace="none", macs=(), bridges=(), memory_mib=0, disk=device,
            disk_image=image, medium=image, medium_image=image, serial_log=image, runtime=tmp_path,
        )  # fmt: skip
        node = cast(Any, SimpleNamespace(name="node0", disks=(image,)))
        try:
            yield Target(node, machine, Namespace("none", 0, 0), tmp_path)
        finally:
            disk.take_writes([image])
            disk.forget_limits([image])
            loops.detach(image)


def write(target: Target, mebibytes: int = 1) -> float:
    """Seconds that a write to the disk takes until it is there. Raises OSError."""
    assert isinstance(target.machine, ContainerMachine)
    start = time.monotonic()
    with target.machine.disk.open("r+b", buffering=0) as device:
        device.write(os.urandom(mebibytes * MIB))
        os.fsync(device.fileno())
    return time.monotonic() - start


def act(name: str, target: Target, *, ends: bool = False) -> None:
    fault = find(name)
    action = fault.end if ends else fault.begin
    assert action is not None
    action(target)


def test_a_disk_with_write_errors_can_be_read_and_takes_writes_again_afterwards(target: Target) -> None:
    assert isinstance(target.machine, ContainerMachine)
    write(target)
    before = target.machine.disk.read_bytes()[:MIB]
    act("disk-write-errors", target)
    with pytest.raises(OSError):
        write(target)
    assert target.machine.disk_image.read_bytes()[:MIB] == before
    act("disk-write-errors", target, ends=True)
    write(target)


@pytest.mark.skipif(not HAS_BLKIO, reason="no blkio controller of version 1")
def test_a_slow_disk_writes_eight_mebibytes_a_second_until_the_fault_ends(target: Target) -> None:
    write(target)
    act("slow-disk", target)
    assert write(target, 16) >= 1.0
    act("slow-disk", target, ends=True)
    assert isinstance(target.machine, ContainerMachine)
    number = target.machine.disk.stat().st_rdev
    (blkio,) = (path for path in Hierarchies.of_this_computer().legacy if path.name == "blkio")
    limits = (blkio / "blkio.throttle.write_bps_device").read_text()
    assert f"{os.major(number)}:{os.minor(number)} " not in limits


def test_one_sector_of_the_root_image_in_a_damaged_medium_is_wrong(tmp_path: Path) -> None:
    tree, image, copy = tmp_path / "tree", tmp_path / "medium.img", tmp_path / "damaged.img"
    (tree / "inner").mkdir(parents=True)
    (tree / "inner/file").write_bytes(os.urandom(4 * MIB))
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    no_compression = ["-noI", "-noD", "-noF", "-noX"]
    subprocess.run(["mksquashfs", tree / "inner", tree / "rootfs.img", *no_compression], **quiet)  # type: ignore[call-overload]
    subprocess.run(["mksquashfs", tree / "rootfs.img", image, *no_compression], **quiet)  # type: ignore[call-overload]
    copy.write_bytes(image.read_bytes())
    medium.flip_a_sector(copy)
    good, bad = image.read_bytes(), copy.read_bytes()
    wrong = {place // 512 for place in range(len(good)) if good[place] != bad[place]}
    assert len(wrong) == 1
    inside = good.find(b"hsqs", 1)
    assert inside < wrong.pop() * 512 < inside + (tree / "rootfs.img").stat().st_size
