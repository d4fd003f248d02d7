"""The lab's one link: a bridge with an address for this side of it, and a trunk for each VLAN that a host is on.

No DHCP and no DNS, as on the sites cluster0 is for. A trunk is a bridge, too, whose frames have the VLAN's tag; a
bridge passes them as any other. What the tag is put on and taken off by is `vlan_port`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from ipaddress import IPv4Interface, IPv6Interface
from pathlib import Path

from cli.command import run
from vm_harness.network.namespace import Namespace

BRIDGE = "lab0"
VLAN_PORT = Path(__file__).with_name("vlan_port.py")


def bridge_of(vlan: int | None) -> str:
    """The bridge that a host's NICs are plugged into: the trunk of the VLAN that it tags its frames with."""
    return BRIDGE if vlan is None else f"trunk{vlan}"


def create_bridge(namespace: Namespace, address: IPv4Interface | IPv6Interface) -> None:
    """Make `BRIDGE` in `namespace`; `address` (with its prefix) is the gateway that the hosts are told."""
    # Nobody else is on the link yet, so there is no duplicate to wait for.
    words = ["addr", "add", str(address), "dev", BRIDGE, *(["nodad"] if address.version == 6 else [])]
    _make(namespace, BRIDGE, ["type", "bridge"])
    run(["ip", "-n", namespace.name, *words], timeout=10)


def create_trunks(namespace: Namespace, vlans: Iterable[int], runtime: Path) -> None:
    """Make the trunk of each of `vlans`, joined to `BRIDGE`; `runtime` gets the pid file of each port's program."""
    for vlan in vlans:
        trunk = bridge_of(vlan)
        plain, tagged = f"plain{vlan}", f"tagged{vlan}"
        _make(namespace, trunk, ["type", "bridge"])
        for port, bridge in ((plain, BRIDGE), (tagged, trunk)):
            run(["ip", "-n", namespace.name, "tuntap", "add", port, "mode", "tap"], timeout=10)
            run(["ip", "-n", namespace.name, "link", "set", port, "master", bridge, "up"], timeout=10)
        program: list[str | Path] = [sys.executable, VLAN_PORT, str(vlan), plain, tagged, runtime / f"vlan-{vlan}.pid"]
        run(namespace.inside(program), timeout=30)


def _make(namespace: Namespace, name: str, kind: list[str]) -> None:
    run(["ip", "-n", namespace.name, "link", "add", name, *kind], timeout=10)
    run(["ip", "-n", namespace.name, "link", "set", name, "up"], timeout=10)
