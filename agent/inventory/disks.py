"""Disks: udev's names for them, sysfs' facts, and whether one can be installed to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from agent.inventory.eligibility import Usage, evaluate
from agent.inventory.mounts import mount_points
from agent.machine import BlockDevice, Files, Machine
from agent.model.host_paths import MEDIUM_MOUNT
from agent.model.inventory import FIBRE_CHANNEL, ISCSI, Disk

NOT_A_DISK = re.compile(r"(ram|zram|dm-|nbd|md)\d+")
LOOP = re.compile(r"loop\d+")
TRANSPORTS = {"-iscsi-": ISCSI, "-fc-": FIBRE_CHANNEL}  # udev's path_id has these in by-path names
SECTOR = 512  # sysfs counts in these, also for disks with larger sectors
BY_ID_ORDER = ("wwn-", "nvme-eui.", "scsi-", "ata-", "virtio-", "")


def collect(machine: Machine) -> tuple[Disk, ...]:
    mounts = mount_points(machine.files)
    devices = [device for device in machine.udev.disks() if _is_disk(device.name, machine.files)]
    shared = _shared_paths(devices)
    return tuple(describe(device, mounts, shared, machine.files) for device in devices)


def describe(
    device: BlockDevice, mounts: Mapping[str, tuple[str, ...]], shared_paths: frozenset[str], files: Files
) -> Disk:
    sysfs = f"/sys/block/{device.name}"
    usage = _usage(device, mounts, files)
    by_id = _by_id(device.links)
    by_paths = [link for link in _below(device.links, "by-path") if link not in shared_paths]
    by_path = by_paths[0] if by_paths else ""
    properties = device.properties
    return Disk(
        id=by_id or by_path or f"/dev/{device.name}",
        name=device.name,
        path=f"/dev/{device.name}",
        by_id=by_id,
        by_path=by_path,
        links=(*by_paths, *_below(device.links, "by-id")),
        hctl=_hctl(files, device.name),
        wwn=_first(properties, "ID_WWN_WITH_EXTENSION", "ID_WWN") or files.attribute(f"{sysfs}/wwid"),
        model=properties.get("ID_MODEL", "") or files.attribute(f"{sysfs}/device/model"),
        vendor=properties.get("ID_VENDOR", "") or files.attribute(f"{sysfs}/device/vendor"),
        serial=_first(properties, "ID_SCSI_SERIAL", "ID_SERIAL_SHORT") or _serial(files, sysfs),
        size_bytes=usage.size,
        drive_type=_drive_type(device.name, usage, files.attribute(f"{sysfs}/queue/rotational")),
        removable=usage.is_removable,
        bootable=_has_boot_sector(files, device.name),
        is_installation_media=usage.is_medium,
        holders=",".join(usage.holders),
        partition_types=properties.get("ID_PART_TABLE_TYPE", ""),
        installation_eligibility=evaluate(usage),
    )


def _is_disk(name: str, files: Files) -> bool:
    """A loop device counts where the kernel scans its partitions (`losetup --partscan`): it stands for a disk then. The
    loop device of the root image is none."""
    if LOOP.fullmatch(name):
        return files.attribute(f"/sys/block/{name}/loop/partscan") == "1"
    return not NOT_A_DISK.fullmatch(name)


def _usage(device: BlockDevice, mounts: Mapping[str, tuple[str, ...]], files: Files) -> Usage:
    disk = f"/sys/block/{device.name}"
    parts = [disk, *(f"{disk}/{partition}" for partition in device.partitions)]
    points = dict.fromkeys(point for part in parts for point in mounts.get(files.attribute(f"{part}/dev"), ()))
    return Usage(
        size=int(files.attribute(f"{disk}/size", "0")) * SECTOR,
        is_medium=MEDIUM_MOUNT in points,
        is_optical=device.name.startswith("sr"),
        is_removable=files.attribute(f"{disk}/removable") == "1",
        is_read_only=files.attribute(f"{disk}/ro") == "1",
        network=_network(device.links),
        holders=tuple(holder for part in parts for holder in files.names(f"{part}/holders")),
        mounted=tuple(point for point in points if point != MEDIUM_MOUNT),
    )


def _drive_type(name: str, usage: Usage, rotational: str) -> str:
    """Virtual disks always report that they rotate, so HDD means little for them."""
    if usage.network:
        return usage.network
    if usage.is_optical:
        return "ODD"
    if name.startswith("fd"):
        return "FDD"
    return {"0": "SSD", "1": "HDD"}.get(rotational, "Unknown")


def _network(links: Iterable[str]) -> str:
    """The storage network that the disk is reached by; empty: it is this machine's own."""
    paths = _below(links, "by-path")
    return next((kind for mark, kind in TRANSPORTS.items() if any(mark in path for path in paths)), "")


def _by_id(links: Iterable[str]) -> str:
    names = _below(links, "by-id")
    return next((link for prefix in BY_ID_ORDER for link in names if link.startswith(f"/dev/disk/by-id/{prefix}")), "")


def _below(links: Iterable[str], directory: str) -> list[str]:
    return [link for link in links if link.startswith(f"/dev/disk/{directory}/")]


def _shared_paths(devices: Iterable[BlockDevice]) -> frozenset[str]:
    """by-path names that two disks claim: they identify neither."""
    paths = [path for device in devices for path in _below(device.links, "by-path")]
    return frozenset(path for path in paths if paths.count(path) > 1)


def _hctl(files: Files, name: str) -> str:
    return next(iter(files.names(f"/sys/block/{name}/device/scsi_device")), "")


def _serial(files: Files, sysfs: str) -> str:
    return files.attribute(f"{sysfs}/device/serial") or files.attribute(f"{sysfs}/serial")


def _first(properties: Mapping[str, str], *names: str) -> str:
    return next((properties[name] for name in names if properties.get(name)), "")


def _has_boot_sector(files: Files, name: str) -> bool:
    """Boot code and its signature in the first sector, as a BIOS looks for them."""
    try:
        with files.at(f"/dev/{name}").open("rb") as disk:
            sector = disk.read(SECTOR)
    except OSError:
        return False
    return sector[510:512] == b"\x55\xaa" and any(sector[:440])
