"""The clusters that `lab up --topology` can make up: how many hosts of which role, and how large."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface

GATEWAY = IPv4Interface("192.168.126.1/24")


@dataclass(frozen=True, kw_only=True)
class Topology:
    """`gateway` is this side's address on the lab's link; the hosts follow from `first_host` on."""

    name: str
    masters: int
    workers: int
    gateway: IPv4Interface = GATEWAY
    first_host: int = 10
    domain: str = "lab.cluster0.test"


TOPOLOGIES = {
    topology.name: topology
    for topology in (
        Topology(name="sno", masters=1, workers=0),
        Topology(name="compact", masters=3, workers=0),
        Topology(name="ha", masters=3, workers=2),
    )
}  # fmt: skip
