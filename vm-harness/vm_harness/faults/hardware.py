"""Parts of a host that are replaced while it is off."""

from __future__ import annotations

import msgspec

from cli.command import run
from vm_harness.container.machine import ContainerMachine
from vm_harness.container.power import ContainerPower
from vm_harness.faults.fault import Fault, Target

SECONDS = 30
OTHER_VENDOR = "52:54:01"


def replace_disk(target: Target) -> None:
    """Cut the power, and start with an empty disk of the same size."""
    target.node.crash()
    for image in target.node.disks:
        size = image.stat().st_size
        with image.open("r+b") as disk:
            disk.truncate(0)
            disk.truncate(size)
    if isinstance(target.machine, ContainerMachine):
        run(["blockdev", "--flushbufs", target.machine.disk], timeout=SECONDS)
        run(["partx", "--delete", target.machine.disk], timeout=SECONDS, check=False)
    target.node.start()


def replace_nics(target: Target) -> None:
    """Cut the power, and start with NICs of other MACs."""
    _start_with(target, tuple(OTHER_VENDOR + mac[len(OTHER_VENDOR) :] for mac in target.macs))


def restore_nics(target: Target) -> None:
    _start_with(target, target.macs)


def _start_with(target: Target, macs: tuple[str, ...]) -> None:
    assert isinstance(target.machine, ContainerMachine)
    assert isinstance(target.node.machine, ContainerPower)
    target.node.crash()
    target.node.machine.machine = msgspec.structs.replace(target.machine, macs=macs)
    target.node.start()


FAULTS = (
    Fault(
        name="other-disk",
        summary="The power is cut, and the host starts with another, empty disk.",
        begin=replace_disk,
    ),
    Fault(
        name="other-nics",
        summary="The power is cut, and the host starts with NICs of other MACs; with its own when the fault ends.",
        begin=replace_nics,
        end=restore_nics,
        fits=(ContainerMachine,),
    ),
)
