"""What the rules know of one interface in a host's networkConfig, and of the NICs that a host has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import EllipsisType

from inputs.document.source import Kind, Path, Place
from inputs.rules.facts import HostFacts, asked_once

INTERFACES = ("networkConfig", "interfaces", ...)
PORTS: dict[str, tuple[tuple[str | EllipsisType, ...], ...]] = {
    "bond": (("link-aggregation", "port", ...), ("link-aggregation", "ports-config", ..., "name")),
    "linux-bridge": (("bridge", "port", ..., "name"),),
    "vrf": (("vrf", "port", ...),),
}


@dataclass(frozen=True)
class InterfaceFacts:
    """`name` and `kind`, its type, as the file has them; `path` of the interface's mapping."""

    host: HostFacts
    path: Path
    name: str
    kind: str

    def find(self, of: type[Kind], *pattern: str | int | EllipsisType) -> Iterator[Place[Kind]]:
        return self.host.source.find(of, *self.path, *pattern)

    def place(self) -> Place[str]:
        return next(self.find(str, "name"))

    @property
    def ports(self) -> dict[str, Place[str]]:
        """By the name that the port has in this host, where a MAC address is given instead of one."""
        places = (place for pattern in PORTS.get(self.kind, ()) for place in self.find(str, *pattern))
        ports: dict[str, Place[str]] = {}
        for place in places:
            ports.setdefault(named(self.host, place.value), place)
        return ports

    @property
    def uses(self) -> dict[str, Place[str]]:
        """Interfaces this one stands on: its ports, or the parent of a VLAN."""
        return self.ports | {place.value: place for place in self.find(str, "vlan", "base-iface")}


@asked_once
def configured(host: HostFacts) -> tuple[InterfaceFacts, ...]:
    """Those whose name is right by itself; without a type it is a NIC."""
    types = {place.path[:-1]: place.value for place in host.find(str, *INTERFACES, "type")}
    return tuple(
        InterfaceFacts(host, name.path[:-1], name.value, types.get(name.path[:-1], "ethernet"))
        for name in host.find(str, *INTERFACES, "name")
    )


@asked_once
def nic_macs(host: HostFacts) -> dict[str, Place[str]]:
    """Logical name of each NIC → where its MAC address is given; `interfaces` comes before networkConfig."""
    own = {each.name: mac for each in configured(host) if each.kind == "ethernet"
           for mac in each.find(str, "mac-address")}  # fmt: skip
    listed = {name.value: mac for name in host.find(str, "interfaces", ..., "name")
              for mac in host.source.find(str, *name.path[:-1], "macAddress")}  # fmt: skip
    return own | listed


def named(host: HostFacts, port: str) -> str:
    """The logical name of a bond's port, which may be given by its MAC address."""
    return _names_by_mac(host).get(normal_mac(port), port)


@asked_once
def _names_by_mac(host: HostFacts) -> dict[str, str]:
    return {normal_mac(place.value): name for name, place in nic_macs(host).items()}


def normal_mac(text: str) -> str:
    return text.lower().replace("-", ":")
