"""What a host needs, by role. Source: kubeadm's preflight (CPUs) and the size of what we write to the disk."""

from __future__ import annotations

from dataclasses import dataclass

GB = 10**9
GIB = 2**30
MIB = 2**20


@dataclass(frozen=True)
class Requirements:
    """`disk_bytes`: the size of the disk, as its maker counts it."""

    cpu_cores: int
    memory_bytes: int
    disk_bytes: int


CONTROL_PLANE = Requirements(cpu_cores=2, memory_bytes=4 * GIB, disk_bytes=40 * GB)
WORKER = Requirements(cpu_cores=1, memory_bytes=2 * GIB, disk_bytes=20 * GB)


def of(*, is_control_plane: bool) -> Requirements:
    return CONTROL_PLANE if is_control_plane else WORKER
