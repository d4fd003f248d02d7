"""What a host needs, by role.

Sources: kubeadm's preflight (CPUs), the size of what the install writes to the disk, etcd's hardware guide (synced
writes), and assisted-service (latency and packet loss between hosts of one role).
"""

from __future__ import annotations

from dataclasses import dataclass

GB = 10**9
GIB = 2**30
MIB = 2**20


@dataclass(frozen=True)
class Requirements:
    """`disk_bytes`: the size of the disk. `sync_ms`: 99 of 100 synced writes take no longer.

    `rtt_ms`, `loss_percent`: to other hosts of the same role.
    """

    cpu_cores: int
    memory_bytes: int
    disk_bytes: int
    sync_ms: int
    rtt_ms: float
    loss_percent: float


CONTROL_PLANE = Requirements(
    cpu_cores=2, memory_bytes=4 * GIB, disk_bytes=40 * GB, sync_ms=10, rtt_ms=100, loss_percent=0
)
WORKER = Requirements(cpu_cores=1, memory_bytes=2 * GIB, disk_bytes=20 * GB, sync_ms=10, rtt_ms=1000, loss_percent=10)

# What every host needs, whatever its role.
ANY_ROLE = WORKER


def of(*, is_control_plane: bool) -> Requirements:
    return CONTROL_PLANE if is_control_plane else WORKER
