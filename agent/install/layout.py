"""The partitions of an installed disk: one table, and identities that belong to one host of one cluster.

Every GUID is derived from the cluster and host id. So the partition table alone identifies what an interrupted install
of this host left behind, and disks of two hosts in one machine never collide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID, uuid5

MIB = 1 << 20
# Both boot slots, and a state partition with room for the first day of a control plane.
SMALLEST_DISK = 20 * 1000**3

INSTALL_ARGUMENT = "cluster0.install="
"""On the kernel command line of a live system: install this host again, although it is installed."""

SLOT = "slots/a"
OVERLAY_UPPER = "root/upper"
OVERLAY_WORK = "root/work"


class Part(StrEnum):
    """What a partition is for; also the name its GUID is derived from."""

    BIOS = "bios"
    ESP = "esp"
    BOOT = "boot"
    STATE = "state"


@dataclass(frozen=True)
class Partition:
    """`size` in MiB, 0 for the rest of the disk; `type_code` as sgdisk names partition types."""

    number: int
    part: Part
    size: int
    type_code: str

    @property
    def name(self) -> str:
        return f"cluster0-{self.part}"


PARTITIONS = (
    Partition(number=1, part=Part.BIOS, size=1, type_code="ef02"),
    Partition(number=2, part=Part.ESP, size=512, type_code="ef00"),
    Partition(number=3, part=Part.BOOT, size=2560, type_code="8300"),
    Partition(number=4, part=Part.STATE, size=0, type_code="8300"),
)
BOOT = next(partition for partition in PARTITIONS if partition.part is Part.BOOT)
"""Its name is also the label of the file system in it."""


@dataclass(frozen=True)
class Layout:
    """The partitions of one host's disk, at `disk` (a path such as /dev/sda)."""

    disk: str
    cluster_id: str
    host_id: str

    def guid(self, part: Part) -> str:
        """GUID of the partition, and UUID of the file system in it where it has one of 128 bits."""
        return str(uuid5(UUID(self.cluster_id), f"{self.host_id}/{part}"))

    @property
    def disk_guid(self) -> str:
        return str(uuid5(UUID(self.cluster_id), f"{self.host_id}/disk"))

    @property
    def guids(self) -> frozenset[str]:
        return frozenset(self.guid(part) for part in Part)

    def device(self, part: Part) -> str:
        """Path of the partition: /dev/sda3, /dev/nvme0n1p3."""
        number = next(partition.number for partition in PARTITIONS if partition.part is part)
        separator = "p" if self.disk[-1].isdigit() else ""
        return f"{self.disk}{separator}{number}"

    @property
    def marker(self) -> str:
        """The file on the boot partition that marks a finished disk of this cluster. The ISO's GRUB looks for it."""
        return f"cluster0/installed-{self.cluster_id}"
