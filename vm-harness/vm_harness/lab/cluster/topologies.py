"""The clusters that `lab up --topology` can make up: how many hosts of which role, and their network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface

GATEWAY = IPv4Interface("192.168.126.1/24")
SECOND_NETWORK = IPv4Network("192.168.127.0/24")
GATEWAY6 = IPv6Interface("fd2e:6f44:5dd8:c956::1/64")


@dataclass(frozen=True, kw_only=True)
class Topology:
    """`gateway`: this computer's address on the lab's link, with the prefix length of the network.

    `first_host`, `api_vip`: addresses of the first host and of the API, counted from the network's address; the other
    hosts follow the first one. `api_vip` None: the API has node0's address.
    `on_vlan`: number of a host → the VLAN that its address is on, over a bond of two NICs.
    `second_network`: each host has a second NIC with an address in it, on a link of its own.
    `waits_for_workers` False: the install starts without the workers that have not come.
    `service_lifetime_minutes`: how long node0's service runs after the install.
    `is_native`: the hosts run at this computer's speed, so Kubernetes' own timeouts fit.
    `kernel_arguments`: of every host, live and installed. highres=off: ticks wake an idle node's programs instead of a
    timer each, which halves its cost under emulation. tsc=reliable: on a computer that pauses its guests, Linux marks
    the time stamp counter as unstable after a while and then reads the emulated HPET, a trap each time.
    """

    name: str
    masters: int
    workers: int
    gateway: IPv4Interface | IPv6Interface = GATEWAY
    first_host: int = 10
    api_vip: int | None = None
    on_vlan: Mapping[int, int] = field(default_factory=dict)
    second_network: IPv4Network | None = None
    waits_for_workers: bool = True
    service_lifetime_minutes: int = 60
    is_native: bool = False
    kernel_arguments: tuple[str, ...] = ("highres=off", "tsc=reliable")
    domain: str = "lab.cluster0.test"


TOPOLOGIES = {
    topology.name: topology
    for topology in (
        Topology(name="sno", masters=1, workers=0),
        Topology(name="sno6", masters=1, workers=0, gateway=GATEWAY6),
        Topology(name="pair", masters=1, workers=1, on_vlan={1: 100}),
        Topology(name="compact", masters=3, workers=0, api_vip=5, on_vlan={2: 100}),
        Topology(name="ha", masters=3, workers=2, api_vip=5),
        Topology(name="ha5", masters=5, workers=1, api_vip=5),
        Topology(name="dual", masters=1, workers=1, second_network=SECOND_NETWORK),
        Topology(name="late", masters=1, workers=1, waits_for_workers=False),
    )
}  # fmt: skip
