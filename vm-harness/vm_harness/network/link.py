"""The lab's link: a bridge with the gateway's address, and a trunk for each VLAN that a host is on.

It has no DHCP and no DNS, as the sites that cluster0 is for. A trunk is a bridge, too, whose frames have the VLAN's
tag; `vlan_port` adds and removes it between the two bridges.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable
from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path

from cli.command import run
from vm_harness.network.namespace import Namespace

BRIDGE = "lab0"
SECOND_BRIDGE = "lab1"
"""For the NICs of dual-homed hosts: a link of its own, without a gateway."""
VLAN_PORT = (sys.executable, "-P", "-m", "vm_harness.network.vlan_port")


def bridge_of(vlan: int | None) -> str:
    """The bridge for a host's NICs: the trunk of the VLAN that the host tags its frames with, else `BRIDGE`."""
    return BRIDGE if vlan is None else f"trunk{vlan}"


def bad_cable_bridge(port: str) -> str:
    """The bridge that `port` is plugged into while its cable is bad (`vm_harness.faults.cable`)."""
    return f"{port}.bad"


def neighbour_namespace(namespace: str) -> str:
    """The namespace of a machine on the link that belongs to no host (`vm_harness.faults.addresses`)."""
    return f"{namespace}-neighbour"


def create_bridge(namespace: Namespace, address: IPv4Interface | IPv6Interface) -> None:
    """Create `BRIDGE` in `namespace` with the gateway's `address`."""
    # No host is on the link yet, so duplicate address detection would wait in vain.
    arguments = ["addr", "add", str(address), "dev", BRIDGE, *(["nodad"] if address.version == 6 else [])]
    _make(namespace, BRIDGE)
    run(["ip", "-n", namespace.name, *arguments], timeout=10)


def create_second_bridge(namespace: Namespace) -> None:
    _make(namespace, SECOND_BRIDGE)


def create_trunks(namespace: Namespace, vlans: Iterable[int], runtime: Path) -> None:
    """Create a trunk for each VLAN, joined to `BRIDGE`; `runtime` gets the pid file of each port's process."""
    for vlan in vlans:
        trunk = bridge_of(vlan)
        plain, tagged = f"plain{vlan}", f"tagged{vlan}"
        _make(namespace, trunk)
        for port, bridge in ((plain, BRIDGE), (tagged, trunk)):
            run(["ip", "-n", namespace.name, "tuntap", "add", port, "mode", "tap"], timeout=10)
            run(["ip", "-n", namespace.name, "link", "set", port, "master", bridge, "up"], timeout=10)
        program: list[str | Path] = [*VLAN_PORT, str(vlan), plain, tagged, runtime / f"vlan-{vlan}.pid"]
        run(namespace.inside(program), timeout=30)


def _make(namespace: Namespace, name: str) -> None:
    """A bridge with a random, locally administered MAC.

    A bridge without a MAC of its own takes the lowest one of its ports. It would change when a port comes or goes, and
    with it each host's entry for the gateway.
    """
    mac = ":".join(f"{byte:02x}" for byte in (0x02, *secrets.token_bytes(5)))
    run(["ip", "-n", namespace.name, "link", "add", name, "address", mac, "type", "bridge"], timeout=10)
    run(["ip", "-n", namespace.name, "link", "set", name, "up"], timeout=10)
