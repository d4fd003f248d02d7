"""What is on a disk now, from the kernel and the disk itself.

udev's database is not used: it may be older than the last write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from agent.machine import Machine
from agent.model.problems import Problem


@dataclass(frozen=True)
class Found:
    """The disk (`is_partition` false) or a partition. `content`: type of the file system or of other data, "" for none
    recognised; `guid` is of the partition."""

    path: str
    is_partition: bool
    size: int = 0
    content: str = ""
    label: str = ""
    guid: str = ""


@dataclass(frozen=True)
class User:
    """Something that uses the disk: a mount, swap, or a device on top. `type` as lsblk prints it: part, lvm, raid1 …"""

    path: str
    type: str
    mounted: tuple[str, ...] = ()


@dataclass(frozen=True)
class DiskContent:
    """`found`: the disk first, then its partitions. `users`: the topmost last."""

    path: str
    size: int
    found: tuple[Found, ...] = ()
    users: tuple[User, ...] = ()

    @property
    def data(self) -> tuple[Found, ...]:
        """What would be lost: every partition, and data on the disk outside partitions."""
        return tuple(item for item in self.found if item.is_partition or item.content)


class _Device(msgspec.Struct, frozen=True):
    name: str
    type: str
    size: int
    mountpoints: tuple[str | None, ...]


class _Devices(msgspec.Struct, frozen=True):
    blockdevices: tuple[_Device, ...]


async def disk_content(machine: Machine, path: str) -> DiskContent:
    """Partitions, signatures and users of the disk at `path`. Problem: `disk-not-there`."""
    if not machine.files.at(path).is_block_device():
        raise Problem(
            code="disk-not-there",
            title=f"{path} was in the inventory and is not there any more.",
            remedy="Check the disk and its cable, then start the install again.",
        )
    options = ["--json", "--list", "--bytes", "--paths", "--output=NAME,TYPE,SIZE,MOUNTPOINTS"]
    listed = await machine.processes.run(["lsblk", *options, path])
    devices = msgspec.json.decode(listed.stdout, type=_Devices).blockdevices
    inside = [device for device in devices if device.name == path or device.type == "part"]
    probed = await machine.processes.run(
        ["blkid", "--probe", "--output", "export", *(device.name for device in inside)], check=False
    )
    tags = parse_blkid(probed.stdout)
    return DiskContent(
        path=path,
        size=devices[0].size,
        found=tuple(_found(device, tags.get(device.name, {}), is_disk=device.name == path) for device in inside),
        users=tuple(_users(devices, path)),
    )


def parse_blkid(output: str) -> dict[str, dict[str, str]]:
    """`blkid --output export`: blocks of NAME=VALUE lines, by the device in DEVNAME."""
    blocks = (dict(line.split("=", 1) for line in block.splitlines() if "=" in line) for block in output.split("\n\n"))
    return {block["DEVNAME"]: block for block in blocks if "DEVNAME" in block}


def _found(device: _Device, tags: Mapping[str, str], *, is_disk: bool) -> Found:
    return Found(
        path=device.name,
        is_partition=not is_disk,
        size=device.size,
        content=tags.get("TYPE", ""),
        label=tags.get("LABEL", "") or tags.get("PART_ENTRY_NAME", ""),
        guid=tags.get("PART_ENTRY_UUID", ""),
    )


def _users(devices: tuple[_Device, ...], disk: str) -> list[User]:
    users: dict[str, User] = {}
    for device in devices:
        mounted = tuple(filter(None, device.mountpoints))
        on_top = device.name != disk and device.type != "part"
        if mounted or on_top:
            users[device.name] = User(path=device.name, type=device.type, mounted=mounted)
    return list(users.values())
