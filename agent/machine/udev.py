"""Block devices as udev knows them (pyudev); sysfs attributes are read through `Files` instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BlockDevice:
    """A whole disk. `properties` is udev's database entry, nearly empty where no udevd has seen the device;
    `links` are its names under /dev/disk; `partitions` kernel names such as vda1."""

    name: str
    properties: Mapping[str, str]
    links: tuple[str, ...]
    partitions: tuple[str, ...]


class Udev:
    """Reads the running system's udev database."""

    def disks(self) -> tuple[BlockDevice, ...]:
        import pyudev

        devices = pyudev.Context().list_devices(subsystem="block", DEVTYPE="disk")
        return tuple(
            BlockDevice(
                name=device.sys_name,
                properties=dict(device.properties),
                links=tuple(sorted(device.device_links)),
                partitions=tuple(sorted(child.sys_name for child in device.children)),
            )
            for device in sorted(devices, key=lambda device: device.sys_name)
        )
