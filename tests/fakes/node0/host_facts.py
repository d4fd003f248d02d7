"""Hosts and facts for host validations, each with the one property that a validation checks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec

from agent.api.checks import DiskSpeedReply, Resolution
from agent.api.clusters import ClusterCreate, PlatformType
from agent.model.intent import Role, RootDeviceHints
from agent.model.inventory import Boot, BootEntry, Disk, Eligibility, Interface, Memory, SystemVendor, Truncation
from node0.store.records import DiskSpeed, HostRecord
from node0.validations.engine.facts import HostFacts
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.records import NOW, SPEC, cluster, host

VDA = inventory().disks[0]
USB = msgspec.structs.replace(
    VDA,
    id="usb",
    name="sda",
    path="/dev/sda",
    by_path="/dev/disk/by-path/usb-1",
    installation_eligibility=Eligibility(not_eligible_reasons=("it is removable",)),
)


def with_inventory(**changes: Any) -> HostRecord:
    return host(inventory=msgspec.structs.replace(inventory(), **changes))


def facts(host: HostRecord, *, spec: ClusterCreate = SPEC, unresponsive: bool = False, **changes: Any) -> HostFacts:
    return HostFacts(host=host, cluster=cluster(spec=spec), is_unresponsive=unresponsive, **changes)


def memory(size: float, method: str = "ghw") -> HostRecord:
    return with_inventory(memory=Memory(physical_bytes=int(size), physical_bytes_method=method))


def disks(*disks: Disk, requested: str = "", role: Role = Role.MASTER) -> HostRecord:
    return msgspec.structs.replace(with_inventory(disks=disks), requested_disk=requested, role=role)


def hinted(**hints: Any) -> HostRecord:
    """With two usable disks; the smaller one has the later name."""
    other = msgspec.structs.replace(VDA, id="other", name="vdb", path="/dev/vdb", model="other", size_bytes=10**15)
    first = msgspec.structs.replace(VDA, model="QEMU_DISK")
    return msgspec.structs.replace(disks(other, first), root_device_hints=RootDeviceHints(**hints))


def sized(gb: int) -> Disk:
    return msgspec.structs.replace(VDA, size_bytes=gb * 10**9)


def truncated(type_: str) -> HostRecord:
    return with_inventory(truncation=Truncation(type=type_, reasons=("15000 disks",)))


def on(platform: str, **changes: Any) -> ClusterCreate:
    return msgspec.structs.replace(SPEC, platform=PlatformType(type=platform), **changes)


def made_by(manufacturer: str = "", product: str = "", uuid: str = "") -> HostRecord:
    vendor = SystemVendor(manufacturer=manufacturer, product_name=product, product_uuid=uuid)
    return with_inventory(system_vendor=vendor)


def boots(*kinds: str) -> HostRecord:
    order = tuple(BootEntry(name=f"{kind} {place}", kind=kind) for place, kind in enumerate(kinds))
    return with_inventory(boot=Boot(current_boot_mode="uefi", boot_order=order))


def started(*minutes: int) -> HostRecord:
    return host(starts=tuple(NOW + timedelta(minutes=minute) for minute in minutes))


def untouched(*names: str) -> HostRecord:
    return host(untouched_disks=names)


def nics(*addresses: str) -> HostRecord:
    return with_inventory(
        interfaces=tuple(Interface(name=f"eth{n}", ipv4_addresses=(own,)) for n, own in enumerate(addresses))
    )


def measured(milliseconds: int | None) -> HostRecord:
    reply = DiskSpeedReply(path="/dev/vda", io_sync_duration=milliseconds) if milliseconds is not None else None
    return host(disk_speed=DiskSpeed(path="/dev/vda", reply=reply, error="EIO"))


def resolving(*labels: str) -> HostRecord:
    names = (f"{label}.demo.example.test" for label in labels)
    return host(resolutions=tuple(Resolution(domain_name=name, ipv4_addresses=("192.0.2.9",)) for name in names))
