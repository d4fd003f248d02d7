"""One entry of `hosts`: its fields, name and static addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from inputs.document.source import Path, Place
from inputs.facts.field_path import ModelPath, field_path, section_path
from inputs.facts.fields import Fields
from inputs.schema.agent_config import Host, Interface
from inputs.schema.network_config import Address, NmstateInterface, NmstateRoute

HOSTNAME = field_path(Host, str, "hostname")
ROLE = field_path(Host, str, "role")
NICS = section_path(Host, Interface, "interfaces[]")
NIC_NAME = field_path(Interface, str, "name")
NIC_MAC = field_path(Interface, str, "macAddress")
NETWORK_CONFIG = field_path(Host, dict, "networkConfig")
INTERFACES = section_path(Host, NmstateInterface, "networkConfig.interfaces[]")
ROUTES = section_path(Host, NmstateRoute, "networkConfig.routes.config[]")
GATEWAY = field_path(NmstateRoute, str, "next-hop-address")
DNS_SERVERS = field_path(Host, str, "networkConfig.dns-resolver.config.server[]")

NAME = field_path(NmstateInterface, str, "name")
TYPE = field_path(NmstateInterface, str, "type")
MAC_ADDRESS = field_path(NmstateInterface, str, "mac-address")
IPV4 = field_path(NmstateInterface, dict, "ipv4")
IPV6 = field_path(NmstateInterface, dict, "ipv6")
STATIC_ADDRESSES = (
    section_path(NmstateInterface, Address, "ipv4.address[]"),
    section_path(NmstateInterface, Address, "ipv6.address[]"),
)
IP = field_path(Address, str, "ip")
PREFIX_LENGTH = field_path(Address, int, "prefix-length")

ADDRESSING: tuple[ModelPath[NmstateInterface], ...] = (NAME, IPV4, IPV6)
"""Settings of an interface that say which addresses it has."""

_DYNAMIC = (
    field_path(NmstateInterface, bool, "ipv4.dhcp"),
    field_path(NmstateInterface, bool, "ipv6.dhcp"),
    field_path(NmstateInterface, bool, "ipv6.autoconf"),
)
_INTERFACE_LIST = field_path(Host, list, "networkConfig.interfaces")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

Result = TypeVar("Result")


@dataclass(frozen=True)
class HostAddress:
    """A static address of a host. place: where its `ip` is in the file. interface: the name in networkConfig.

    address: with its prefix length.
    """

    place: Place[str]
    interface: str
    address: IpInterface


@dataclass(frozen=True)
class HostFacts(Fields[Host]):
    """One entry of `hosts`. `cache`: function → its result for this host, see `cached_per_host`."""

    cache: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the host in findings: its `hostname`, or `hosts[INDEX]` without one."""
        return self.get(HOSTNAME, "") or f"hosts[{self.path[-1]}]"

    @cached_property
    def addresses(self) -> tuple[HostAddress, ...]:
        """The valid static addresses of all interfaces, IPv4 first."""
        return tuple(self._addresses())

    def _addresses(self) -> Iterator[HostAddress]:
        interfaces = tuple(self.sections(INTERFACES))
        for family in STATIC_ADDRESSES:
            for interface in interfaces:
                for entry in interface.sections(family):
                    ip, length = entry.first(IP), entry.first(PREFIX_LENGTH)
                    if ip is None or length is None:
                        continue
                    try:
                        address = ipaddress.ip_interface(f"{ip.value}/{length.value}")
                    except ValueError:  # a prefix length that the family does not have
                        continue
                    yield HostAddress(ip, interface.get(NAME, ""), address)

    @cached_property
    def has_unknown_addresses(self) -> bool:
        """Whether the host may have addresses that the file does not list: by DHCP, or in invalid fields."""
        dynamic = any(place.value for interface in self.sections(INTERFACES)
                      for setting in _DYNAMIC for place in interface.find(setting))  # fmt: skip
        return dynamic or self.interfaces_have_errors(*ADDRESSING) or not self.has(NETWORK_CONFIG)

    def interfaces_have_errors(self, *settings: ModelPath[NmstateInterface]) -> bool:
        """Whether any interface in networkConfig has a schema error in one of `settings`."""
        errors = self.source.errors_below((*self.path, *_INTERFACE_LIST.pattern))  # type: ignore[arg-type]  # no `...`
        return any(_overlap(path[1:], setting) for path in errors for setting in settings)


def _overlap(path: Path, setting: ModelPath[NmstateInterface]) -> bool:
    """Whether `path` is equal to `setting`, below it or above it."""
    return all(step == other for step, other in zip(path, setting.pattern, strict=False))


def cached_per_host(function: Callable[[HostFacts], Result]) -> Callable[[HostFacts], Result]:
    """Decorator: computes `function(host)` once, because dozens of rules call it for hundreds of hosts."""

    def cached(host: HostFacts) -> Result:
        if function not in host.cache:
            host.cache[function] = function(host)
        result: Result = host.cache[function]
        return result

    return cached


def is_broadcast(address: IpAddress, network: IpNetwork) -> bool:
    """Whether the address is the network or broadcast address of an IPv4 network larger than /31; false for IPv6."""
    ends = (network.network_address, network.broadcast_address)
    return network.version == 4 and network.num_addresses > 2 and address in ends
