"""The inventory an agent reports, as assisted-service's `inventory` schema spells it. Every field is optional there;
here an unknown value is the empty string, 0 or an empty tuple. Sizes are bytes. Lists and texts have bounds."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from agent.model.bounds import MOST_ADDRESSES, Address, Addresses, LongText, Name, Names, Text, Texts


class Cpu(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`frequency` in MHz."""

    count: int = 0
    architecture: Name = ""
    model_name: Name = ""
    frequency: float = 0.0
    flags: Annotated[tuple[Name, ...], Meta(max_length=1024)] = ()


class Memory(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`physical_bytes_method`: the source of it, `ghw` (sysfs memory blocks) or `meminfo`.
    `swap_bytes`, our addition: swap space in use."""

    physical_bytes: int = 0
    usable_bytes: int = 0
    physical_bytes_method: Name = ""
    swap_bytes: int = 0


class Eligibility(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    eligible: bool = False
    not_eligible_reasons: Texts = ()


# A `drive_type` of its own: disks of a storage network.
ISCSI, FIBRE_CHANNEL = "iSCSI", "FC"


class Disk(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename={"partition_types": "partitionTypes"}):
    """`id` is by_id, else by_path, else path. `path` is /dev/<name>.

    `links`, our addition: every name below /dev/disk/by-path and by-id that is this disk's alone.
    """

    id: Text
    name: Name
    path: Text
    by_id: Text = ""
    by_path: Text = ""
    links: Texts = ()
    hctl: Name = ""
    wwn: Name = ""
    model: Name = ""
    vendor: Name = ""
    serial: Name = ""
    size_bytes: int = 0
    drive_type: Name = "Unknown"
    removable: bool = False
    bootable: bool = False
    is_installation_media: bool = False
    holders: LongText = ""
    partition_types: LongText = ""
    installation_eligibility: Eligibility = Eligibility()


class Interface(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Addresses are "address/prefix-length", link-local ones left out. `speed_mbps` 0 when unknown."""

    name: Name
    mac_address: Name = ""
    mtu: int = 0
    flags: Names = ()
    ipv4_addresses: Addresses = ()
    ipv6_addresses: Addresses = ()
    has_carrier: bool = False
    speed_mbps: int = 0
    type: Name = "physical"
    vendor: Name = ""
    product: Name = ""


def too_many_addresses(nics: tuple[Interface, ...]) -> str:
    """What is wrong if `nics` have more than `MOST_ADDRESSES` in all; else empty."""
    count = sum(len(nic.ipv4_addresses) + len(nic.ipv6_addresses) for nic in nics)
    return f"it has {count} addresses, more than {MOST_ADDRESSES}" if count > MOST_ADDRESSES else ""


class InventoryRoute(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`destination` without a mask: the default route is 0.0.0.0 or ::. `family`: 2 IPv4, 10 IPv6."""

    interface: Name
    gateway: Address = ""
    destination: Address = ""
    family: int = 2
    metric: int = 0


class BootEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of UEFI's boot order. `kind`: network, disk or other."""

    name: Text
    kind: Name


class Boot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`boot_order`, our addition: what UEFI tries, first to last; empty on BIOS, which has no list."""

    current_boot_mode: Name = ""
    command_line: LongText = ""
    secure_boot_state: Name = "Unknown"
    device_type: Name = ""
    boot_order: Annotated[tuple[BootEntry, ...], Meta(max_length=256)] = ()


class SystemVendor(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`product_uuid`, our addition: the firmware's id of this machine."""

    manufacturer: Name = ""
    product_name: Name = ""
    serial_number: Name = ""
    virtual: bool = False
    product_uuid: Name = ""


class Truncation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The host left something out because its inventory was too long. `type`: partial or full."""

    type: Name
    reasons: Texts = ()


class Inventory(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`machine_id` is our addition: systemd's, see machine-id(5). So is `network_problems`: what the host's network
    lacks of the inputs, a sentence each."""

    hostname: Name = ""
    cpu: Cpu = Cpu()
    memory: Memory = Memory()
    disks: Annotated[tuple[Disk, ...], Meta(max_length=1024)] = ()
    interfaces: Annotated[tuple[Interface, ...], Meta(max_length=1024)] = ()
    routes: Annotated[tuple[InventoryRoute, ...], Meta(max_length=2048)] = ()
    boot: Boot = Boot()
    system_vendor: SystemVendor = SystemVendor()
    tpm_version: Name = "none"
    bmc_address: Address = ""
    machine_id: Name = ""
    network_problems: Annotated[tuple[LongText, ...], Meta(max_length=256)] = ()
    truncation: Truncation | None = None
