"""The lab's one link: a bridge with an address for this side of it.

No DHCP and no DNS, as on the sites cluster0 is for.
"""

from __future__ import annotations

from ipaddress import IPv4Interface

from vm_harness.command import run
from vm_harness.namespace import Namespace

BRIDGE = "lab0"


def create_bridge(namespace: Namespace, address: IPv4Interface) -> None:
    """Make `BRIDGE` in `namespace`; `address` (with its prefix) is the gateway that the hosts are told."""
    for words in (
        ["link", "add", BRIDGE, "type", "bridge"],
        ["addr", "add", str(address), "dev", BRIDGE],
        ["link", "set", BRIDGE, "up"],
    ):
        run(["ip", "-n", namespace.name, *words], timeout=10)
