"""The medium that a host boots from."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from cli.command import run
from vm_harness.container import media
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults.fault import Fault, Target

SQUASHFS_MAGIC = b"hsqs"
BYTES_USED = 40, 48
"""In a squashfs superblock: the size of the file system, little-endian (kernel, fs/squashfs/squashfs_fs.h)."""
COPY_SECONDS = 300


def take_out(target: Target) -> None:
    target.node.eject_medium()


def put_in(target: Target) -> None:
    if isinstance(target.machine, ContainerMachine):
        media.insert(target.machine.medium, target.machine.medium_image, target.machine.no_medium)
    elif target.machine.domain.medium is not None:
        target.node.insert_medium(target.machine.domain.medium)


def damage(target: Target) -> None:
    """Cut the power, and start the host from a copy of its medium with one wrong sector in the root image."""
    original = _medium_file(target)
    copy = target.node.disks[0].with_suffix(".damaged")
    run(["cp", "--sparse=always", original, copy], timeout=COPY_SECONDS)
    flip_a_sector(copy)
    target.node.crash()
    if isinstance(target.machine, ContainerMachine):
        media.insert(target.machine.medium, copy, target.machine.no_medium)
        target.node.start()
    else:
        target.node.start()
        target.node.insert_medium(copy)


def repair(target: Target) -> None:
    target.node.crash()
    put_in(target)
    target.node.start()


def flip_a_sector(medium: Path) -> None:
    """Invert 512 bytes in the middle of the root image, a squashfs inside `medium`. Raises ValueError without one."""
    with medium.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        # A container's medium is a squashfs itself, which begins at 0.
        begin = content.find(SQUASHFS_MAGIC, 1)
        if begin < 0:
            raise ValueError(f"{medium} holds no squashfs")
        first, end = (begin + offset for offset in BYTES_USED)
        size = int.from_bytes(content[first:end], "little")
        middle = (begin + size // 2) // 512 * 512
        content[middle : middle + 512] = bytes(byte ^ 0xFF for byte in content[middle : middle + 512])
        os.fsync(file.fileno())


def _medium_file(target: Target) -> Path:
    if isinstance(target.machine, ContainerMachine):
        return target.machine.medium_image
    assert target.machine.domain.medium is not None
    return target.machine.domain.medium


FAULTS = (
    Fault(
        name="medium-out",
        summary="The medium cannot be read any more: somebody took it out. It is back when the fault ends.",
        begin=take_out,
        end=put_in,
    ),
    Fault(
        name="damaged-medium",
        summary="The host is started again from a medium with a wrong sector in the root image; with the right one "
        "when the fault ends.",
        begin=damage,
        end=repair,
        fits=(ContainerMachine,),
    ),
)
