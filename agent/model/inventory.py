"""The inventory an agent reports, as assisted-service's `inventory` schema spells it. Every field is optional there;
here an unknown value is the empty string, 0 or an empty tuple. Sizes are bytes."""

from __future__ import annotations

import msgspec


class Cpu(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`frequency` in MHz."""

    count: int = 0
    architecture: str = ""
    model_name: str = ""
    frequency: float = 0.0
    flags: tuple[str, ...] = ()


class Memory(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`physical_bytes_method`: the source of it, `ghw` (sysfs memory blocks) or `meminfo`.
    `swap_bytes`, our addition: swap space in use."""

    physical_bytes: int = 0
    usable_bytes: int = 0
    physical_bytes_method: str = ""
    swap_bytes: int = 0


class Eligibility(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    eligible: bool = False
    not_eligible_reasons: tuple[str, ...] = ()


# A `drive_type` of its own: disks of a storage network.
ISCSI, FIBRE_CHANNEL = "iSCSI", "FC"


class Disk(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename={"partition_types": "partitionTypes"}):
    """`id` is by_id, else by_path, else path. `path` is /dev/<name>.

    `links`, our addition: every name below /dev/disk/by-path and by-id that is this disk's alone.
    """

    id: str
    name: str
    path: str
    by_id: str = ""
    by_path: str = ""
    links: tuple[str, ...] = ()
    hctl: str = ""
    wwn: str = ""
    model: str = ""
    vendor: str = ""
    serial: str = ""
    size_bytes: int = 0
    drive_type: str = "Unknown"
    removable: bool = False
    bootable: bool = False
    is_installation_media: bool = False
    holders: str = ""
    partition_types: str = ""
    installation_eligibility: Eligibility = Eligibility()


class Interface(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Addresses are "address/prefix-length", link-local ones left out. `speed_mbps` 0 when unknown."""

    name: str
    mac_address: str = ""
    mtu: int = 0
    flags: tuple[str, ...] = ()
    ipv4_addresses: tuple[str, ...] = ()
    ipv6_addresses: tuple[str, ...] = ()
    has_carrier: bool = False
    speed_mbps: int = 0
    type: str = "physical"
    vendor: str = ""
    product: str = ""


class InventoryRoute(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`destination` without a mask: the default route is 0.0.0.0 or ::. `family`: 2 IPv4, 10 IPv6."""

    interface: str
    gateway: str = ""
    destination: str = ""
    family: int = 2
    metric: int = 0


class BootEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of UEFI's boot order. `kind`: network, disk or other."""

    name: str
    kind: str


class Boot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`boot_order`, our addition: what UEFI tries, first to last; empty on BIOS, which has no list."""

    current_boot_mode: str = ""
    command_line: str = ""
    secure_boot_state: str = "Unknown"
    device_type: str = ""
    boot_order: tuple[BootEntry, ...] = ()


class SystemVendor(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`product_uuid`, our addition: the firmware's id of this machine."""

    manufacturer: str = ""
    product_name: str = ""
    serial_number: str = ""
    virtual: bool = False
    product_uuid: str = ""


class Truncation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The host left something out because its inventory was too long. `type`: partial or full."""

    type: str
    reasons: tuple[str, ...] = ()


class Inventory(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`machine_id` is our addition: systemd's, see machine-id(5). So is `network_problems`: what the host's network
    lacks of the inputs, a sentence each."""

    hostname: str = ""
    cpu: Cpu = Cpu()
    memory: Memory = Memory()
    disks: tuple[Disk, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    routes: tuple[InventoryRoute, ...] = ()
    boot: Boot = Boot()
    system_vendor: SystemVendor = SystemVendor()
    tpm_version: str = "none"
    bmc_address: str = ""
    machine_id: str = ""
    network_problems: tuple[str, ...] = ()
    truncation: Truncation | None = None
