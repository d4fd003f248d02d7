"""Which CPU a guest sees.

Under KVM: the host's own. Under emulation: everything QEMU can emulate, minus what an old QEMU emulates wrongly.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from vm_harness.accel import Acceleration
from vm_harness.command import run

CMPXCHG16B_WORKS = (10, 0)
"""The first QEMU seen to survive; 7.2 does not, and those between were not tried."""


class CpuModel(msgspec.Struct, frozen=True):
    """libvirt's CPU mode, and features (libvirt's names) to hide from the guest."""

    mode: str
    hidden: tuple[str, ...] = ()


def choose(acceleration: Acceleration, qemu_version: tuple[int, int]) -> CpuModel:
    """The model for the guests.

    Debian 13's kernel dies at a cmpxchg16b under QEMU 7.2's multi-threaded emulation; without the feature it takes
    another way.
    """
    if not acceleration.is_emulation:
        return CpuModel("host-passthrough")
    hidden = ("cx16",) if qemu_version < CMPXCHG16B_WORKS else ()
    return CpuModel("maximum", hidden)


def version_of(qemu: Path) -> tuple[int, int]:
    """Major and minor version, (0, 0) when QEMU says something unexpected."""
    said = run([qemu, "--version"], timeout=10).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)
