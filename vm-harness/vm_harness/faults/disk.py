"""The disk of a host, from below: the loop device of a container, the drive of a virtual machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from agent.model.problems import Problem
from cli.command import run
from vm_harness.container import loops
from vm_harness.container.control_groups import Hierarchies
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults import blkdebug
from vm_harness.faults.fault import Fault, Target
from vm_harness.machine import hypervisor
from vm_harness.machine.machines import LabMachine

SLOW_BYTES_PER_SECOND = 8 << 20
SECONDS = 30


def limit(target: Target) -> None:
    _limit(target, SLOW_BYTES_PER_SECOND)


def unlimit(target: Target) -> None:
    _limit(target, 0)


def _limit(target: Target, rate: int) -> None:
    """`rate`: bytes a second for reads and for writes; 0: no limit."""
    if isinstance(target.machine, ContainerMachine):
        _limit_loop(target.machine, rate)
        return
    limits = [f"--{each}-bytes-sec={rate}" for each in ("read", "write")]
    for disk in target.machine.domain.disks:
        tune = ["virsh", "-c", hypervisor.uri(target.runtime), "blkdeviotune", target.name, disk.target, "--live"]
        run([*tune, *limits], timeout=SECONDS)


def _limit_loop(machine: ContainerMachine, rate: int) -> None:
    """The first control group limits what the kernel writes back later, the container's what its processes wait for.

    Raises `Problem` (`no-throttling`).
    """
    controllers = _controllers()
    if not controllers:
        raise Problem(
            code="no-throttling", title="this computer has no blkio controller of version 1, which makes a disk slow",
            remedy="Use virtual machines: QEMU limits their disks.",
        )  # fmt: skip
    _write(rate, machine.disk, controllers[0], *controllers[0].glob(f"*/{machine.lab}/{machine.name}"))


def forget_limits(images: Iterable[Path]) -> None:
    """The next disk that gets the same loop device is a fast one."""
    for device in (device for image in images for device in loops.devices(image)):
        _write(0, device, *_controllers())


def _controllers() -> list[Path]:
    """Where blkio of version 1 is mounted: at one place or, where the kernel has none, nowhere."""
    return [path for path in Hierarchies.of_this_computer().legacy if path.name == "blkio"]


def _write(rate: int, device: Path, *groups: Path) -> None:
    number = device.stat().st_rdev
    for group in groups:
        for kind in ("read", "write"):
            limit = f"{os.major(number)}:{os.minor(number)} {rate}"
            (group / f"blkio.throttle.{kind}_bps_device").write_text(limit)


def refuse_writes(target: Target) -> None:
    """The file below the disk becomes immutable: each write to the disk fails, and reads go on."""
    for image in target.node.disks:
        run(["chattr", "+i", image], timeout=SECONDS)


def take_writes(images: Iterable[Path]) -> None:
    for image in images:
        run(["chattr", "-i", image], timeout=SECONDS)


FAULTS = (
    Fault(
        name="slow-disk",
        summary=f"The disk reads and writes {SLOW_BYTES_PER_SECOND >> 20} MiB a second.",
        begin=limit,
        end=unlimit,
    ),
    Fault(
        name="disk-write-errors",
        summary="Each write to the disk fails with an I/O error. What is on it can be read.",
        begin=refuse_writes,
        end=lambda target: take_writes(target.node.disks),
    ),
    Fault(
        name="disk-io-errors",
        summary="Each read of the disk and each write to it fails with an I/O error. A power cut ends this, too.",
        begin=blkdebug.fail_all,
        end=blkdebug.restore,
        fits=(LabMachine,),
    ),
)
