"""The interfaces in a host's networkConfig, and the NICs that the host has."""

from __future__ import annotations

from dataclasses import dataclass

from inputs.document.source import Place
from inputs.facts.field_path import FieldPath, ModelPath, field_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import (
    INTERFACES,
    MAC_ADDRESS,
    NAME,
    NIC_MAC,
    NIC_NAME,
    NICS,
    TYPE,
    HostFacts,
    cached_per_host,
)
from inputs.schema.network_config import NmstateInterface

VLAN_PARENT = field_path(NmstateInterface, str, "vlan.base-iface")
_PORTS: dict[str, tuple[FieldPath[NmstateInterface, str], ...]] = {
    "bond": (
        field_path(NmstateInterface, str, "link-aggregation.port[]"),
        field_path(NmstateInterface, str, "link-aggregation.ports-config[].name"),
    ),
    "linux-bridge": (field_path(NmstateInterface, str, "bridge.port[].name"),),
    "vrf": (field_path(NmstateInterface, str, "vrf.port[]"),),
}

IDENTITY: tuple[ModelPath[NmstateInterface], ...] = (NAME, TYPE, MAC_ADDRESS)
"""Settings of an interface that say which one it is."""
LOWER: tuple[ModelPath[NmstateInterface], ...] = (
    field_path(NmstateInterface, list, "link-aggregation.port"),
    field_path(NmstateInterface, list, "link-aggregation.ports-config"),
    field_path(NmstateInterface, list, "bridge.port"),
    field_path(NmstateInterface, list, "vrf.port"),
    VLAN_PARENT,
)
"""Settings of an interface that name the interfaces it is built on."""


@dataclass(frozen=True)
class InterfaceFacts(Fields[NmstateInterface]):
    """`name`, `kind`: its name and type, as the file has them."""

    host: HostFacts
    name: str
    kind: str

    @property
    def name_place(self) -> Place[str]:
        return next(self.find(NAME))

    @property
    def ports(self) -> dict[str, Place[str]]:
        """Name of the port in this host → its place in the file, which may give a name or a MAC address."""
        places = (place for path in _PORTS.get(self.kind, ()) for place in self.find(path))
        ports: dict[str, Place[str]] = {}
        for place in places:
            ports.setdefault(port_name(self.host, place.value), place)
        return ports

    @property
    def lower(self) -> dict[str, Place[str]]:
        """The interfaces that this one is built on: its ports, or the parent of a VLAN."""
        return self.ports | {place.value: place for place in self.find(VLAN_PARENT)}


@cached_per_host
def configured_interfaces(host: HostFacts) -> tuple[InterfaceFacts, ...]:
    """The interfaces of networkConfig with a valid name. An interface without a type is a NIC."""
    return tuple(
        InterfaceFacts(each.source, each.path, each.node, host, name.value, each.get(TYPE, "ethernet"))
        for each in host.sections(INTERFACES)
        for name in each.find(NAME)
    )


@cached_per_host
def listed_macs(host: HostFacts) -> dict[str, Place[str]]:
    """Logical name of each NIC in the host's `interfaces` → its MAC address."""
    return {name.value: mac for nic in host.sections(NICS) for name in nic.find(NIC_NAME) for mac in nic.find(NIC_MAC)}


@cached_per_host
def nic_macs(host: HostFacts) -> dict[str, Place[str]]:
    """Logical name of each NIC → its MAC address; `interfaces` comes before networkConfig."""
    own = {each.name: mac for each in configured_interfaces(host) if each.kind == "ethernet"
           for mac in each.find(MAC_ADDRESS)}  # fmt: skip
    return own | listed_macs(host)


def port_name(host: HostFacts, port: str) -> str:
    """The logical name of a bond's port, which the file may give by its MAC address."""
    return _names_by_mac(host).get(normal_mac(port), port)


@cached_per_host
def _names_by_mac(host: HostFacts) -> dict[str, str]:
    return {normal_mac(place.value): name for name, place in nic_macs(host).items()}


def normal_mac(text: str) -> str:
    return text.lower().replace("-", ":")
