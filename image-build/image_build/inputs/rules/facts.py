"""What the rules know of the two files: values that are right by themselves, each with its place.

A file that is missing, or has errors, only makes fewer facts; so every rule can always be asked.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import EllipsisType

from image_build.inputs.source import Kind, Path, Place, Source

_IPS = ("address", ..., "ip")
_DYNAMIC = (("ipv4", "dhcp"), ("ipv6", "dhcp"), ("ipv6", "autoconf"))

IpInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class HostAddress:
    """A static address of a host: the place of its `ip`, and what it means with its prefix length."""

    place: Place[str]
    interface: str
    address: IpInterface


@dataclass(frozen=True)
class HostFacts:
    """One entry of `hosts`."""

    source: Source
    path: Path

    def find(self, kind: type[Kind], *pattern: str | int | EllipsisType) -> Iterator[Place[Kind]]:
        return self.source.find(kind, *self.path, *pattern)

    def text(self, *pattern: str | int) -> str:
        """The text there, or an empty one."""
        return next((place.value for place in self.find(str, *pattern)), "")

    @property
    def name(self) -> str:
        """How messages call the host."""
        return self.text("hostname") or f"hosts[{self.path[-1]}]"

    @cached_property
    def addresses(self) -> tuple[HostAddress, ...]:
        return tuple(self._addresses())

    def _addresses(self) -> Iterator[HostAddress]:
        family = ("networkConfig", "interfaces", ...)
        for place in (*self.find(str, *family, "ipv4", *_IPS), *self.find(str, *family, "ipv6", *_IPS)):
            lengths = list(self.source.find(int, *place.path[:-1], "prefix-length"))
            if not lengths:
                continue
            name = next((found.value for found in self.source.find(str, *place.path[:5], "name")), "")
            try:
                address = ipaddress.ip_interface(f"{place.value}/{lengths[0].value}")
            except ValueError:  # a prefix length that the family has not
                continue
            yield HostAddress(place, name, address)

    @cached_property
    def has_unknown_addresses(self) -> bool:
        """Whether it may get addresses that the file does not tell: by DHCP, or because there are errors in it."""
        configured = any(True for _ in self.find(dict, "networkConfig"))
        dynamic = any(
            place.value for way in _DYNAMIC for place in self.find(bool, "networkConfig", "interfaces", ..., *way)
        )
        return dynamic or self.is_broken("networkConfig") or not configured

    def is_broken(self, *below: str) -> bool:
        """Whether something is wrong by itself there, so that what seems to be missing may only be misspelt."""
        place = (*self.path, *below)
        return any(path[: len(place)] == place[: len(path)] for path in self.source.invalid)


@dataclass(frozen=True)
class Facts:
    install: Source
    agent: Source

    @cached_property
    def hosts(self) -> tuple[HostFacts, ...]:
        return tuple(HostFacts(self.agent, place.path) for place in self.agent.find(dict, "hosts", ...))

    @property
    def machine_networks(self) -> tuple[tuple[Place[str], IpNetwork], ...]:
        return self.networks("networking", "machineNetwork", ..., "cidr")

    def networks(self, *pattern: str | EllipsisType) -> tuple[tuple[Place[str], IpNetwork], ...]:
        """The networks that install-config.yaml gives there."""
        return tuple((place, ipaddress.ip_network(place.value)) for place in self.install.find(str, *pattern))

    def count(self, *pattern: str | int) -> Place[int] | None:
        return next(self.install.find(int, *pattern), None)
