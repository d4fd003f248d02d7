"""Network interfaces, virtual ones included, loopback not."""

from __future__ import annotations

from collections.abc import Iterable

from agent.machine import Address, Files, Link, Machine
from agent.model.inventory import Interface

FLAGS = {
    "UP": "up",
    "BROADCAST": "broadcast",
    "POINTOPOINT": "pointtopoint",
    "RUNNING": "running",
    "MULTICAST": "multicast",
}


def collect(machine: Machine) -> tuple[Interface, ...]:
    addresses = machine.netlink.addresses()
    links = (link for link in machine.netlink.links() if "LOOPBACK" not in link.flags)
    return tuple(describe(link, addresses, machine.files) for link in sorted(links, key=lambda link: link.name))


def describe(link: Link, addresses: Iterable[Address], files: Files) -> Interface:
    own = tuple(address.address for address in addresses if address.interface == link.name)
    sysfs = f"/sys/class/net/{link.name}"
    return Interface(
        name=link.name,
        mac_address=link.permanent_mac or link.mac,
        mtu=link.mtu,
        flags=tuple(word for flag, word in FLAGS.items() if flag in link.flags),
        ipv4_addresses=tuple(address for address in own if ":" not in address),
        ipv6_addresses=tuple(address for address in own if ":" in address),
        has_carrier=files.attribute(f"{sysfs}/carrier") == "1",
        speed_mbps=max(0, int(files.attribute(f"{sysfs}/speed", "0"))),
        type=link.kind or "physical",
        vendor=files.attribute(f"{sysfs}/device/vendor"),
        product=files.attribute(f"{sysfs}/device/device"),
    )
