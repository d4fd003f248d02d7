"""Loop devices: a host's disk, whose partitions the kernel scans, and its medium, which can be taken out."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from cli.command import run

LOOP_CHANGE_FD = 0x4C06  # linux/loop.h
SECONDS = 30


def attach_disk(image: Path) -> Path:
    """The device of a disk; its partitions get devices of their own, also where the kernel cannot read a GPT."""
    device = _attach("--partscan", image)
    run(["partx", "--update", device], timeout=SECONDS, check=False)  # An empty disk has no partition table.
    return device


def attach_medium(image: Path) -> Path:
    """A device that can only be read."""
    return _attach("--read-only", image)


def detach(image: Path) -> None:
    """Detach every loop device of this file."""
    for device in devices(image):
        run(["losetup", "--detach", device], timeout=SECONDS)


def devices(image: Path) -> list[Path]:
    """The loop devices of this file."""
    argv: list[str | Path] = ["losetup", "--list", "--noheadings", "--output=NAME", "--associated", image]
    return [Path(name) for name in run(argv, timeout=SECONDS).stdout.split()]


def exchange(device: Path, image: Path) -> None:
    """Put another file of the same size below a device that can only be read, also while it is mounted.

    Raises OSError.
    """
    with device.open("rb") as loop, image.open("rb") as file:
        fcntl.ioctl(loop, LOOP_CHANGE_FD, file.fileno())


def _attach(option: str, image: Path) -> Path:
    return Path(run(["losetup", "--find", "--show", option, os.fspath(image)], timeout=SECONDS).stdout.strip())
