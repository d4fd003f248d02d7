"""What the rules know of the two files: values that are right by themselves, each with its place.

A file that is missing, or has errors, only makes fewer facts; so every rule can always be asked.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import EllipsisType
from typing import Any, TypeVar

from inputs.document.source import Kind, Path, Place, Source
from inputs.document.yaml_tree import Node

_IPS = ("address", ..., "ip")
_DYNAMIC = (("ipv4", "dhcp"), ("ipv6", "dhcp"), ("ipv6", "autoconf"))

# Of an interface: whose addresses it has, what it is, and what it stands on.
ADDRESSES: tuple[Path, ...] = (("name",), ("ipv4",), ("ipv6",))
IDENTITY: tuple[Path, ...] = (("name",), ("type",), ("mac-address",))
BELOW: tuple[Path, ...] = (
    ("link-aggregation", "port"), ("link-aggregation", "ports-config"), ("bridge", "port"), ("vrf", "port"),
    ("vlan", "base-iface"),
)  # fmt: skip

HOSTS = ("hosts", ...)
INSTALL_CONFIG_HOSTS = ("platform", "baremetal", "hosts", ...)

Answer = TypeVar("Answer")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
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
    """One entry of `hosts`: `node`, which stands at `path`. `memory`: answers of `asked_once`."""

    source: Source
    path: Path
    node: Node = field(compare=False, repr=False)
    memory: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    def find(self, kind: type[Kind], *pattern: str | int | EllipsisType) -> Iterator[Place[Kind]]:
        return self.source.find_below(self.path, self.node, kind, *pattern)

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
            name = next((found.value for found in self.source.find(str, *place.path[: len(self.path) + 3], "name")), "")
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
        return dynamic or self.interfaces_have_errors(*ADDRESSES) or not configured

    def has_errors(self, *below: str) -> bool:
        """Whether something is wrong by itself there, so that what seems to be missing may only be misspelt."""
        return self.source.has_errors((*self.path, *below))

    def interfaces_have_errors(self, *settings: Path) -> bool:
        """The same of these settings, paths below an interface of networkConfig: a mistake in others is no reason to
        be silent about these."""
        broken = self.source.errors_below((*self.path, "networkConfig", "interfaces"))
        return any(_meet(path[1:], setting) for path in broken for setting in settings)


def _meet(one: Path, other: Path) -> bool:
    """Whether one of the two is at or below the other."""
    return all(step == beside for step, beside in zip(one, other, strict=False))


def asked_once(question: Callable[[HostFacts], Answer]) -> Callable[[HostFacts], Answer]:
    """`question`, with its answer kept with the host: dozens of rules ask the same of hundreds of hosts."""

    def ask(host: HostFacts) -> Answer:
        if question not in host.memory:
            host.memory[question] = question(host)
        answer: Answer = host.memory[question]
        return answer

    return ask


@dataclass(frozen=True)
class Facts:
    install: Source
    agent: Source

    @cached_property
    def hosts(self) -> tuple[HostFacts, ...]:
        """Those of agent-config.yaml; where it lists none, those of install-config.yaml."""
        listed = self.agent.find(dict, *HOSTS)
        own = tuple(HostFacts(self.agent, place.path, place.node) for place in listed)
        if own or any(True for _ in self.agent.find(list, "hosts")):
            return own
        others = self.install.find(dict, *INSTALL_CONFIG_HOSTS)
        return tuple(HostFacts(self.install, place.path, place.node) for place in others)

    @cached_property
    def rendezvous(self) -> Place[str] | None:
        """`rendezvousIP`; without it, the first static address of the first host that is no worker, masters first."""
        given = next(self.agent.find(str, "rendezvousIP"), None)
        if given is not None:
            return given
        may_lead = [host for host in self.hosts if host.text("role") != "worker"]
        may_lead.sort(key=lambda host: host.text("role") != "master")
        return next((own.place for host in may_lead for own in host.addresses), None)

    @property
    def rendezvous_network(self) -> IpNetwork | None:
        """The network that the owner of the rendezvous address has it in."""
        if self.rendezvous is None:
            return None
        wanted = ipaddress.ip_address(self.rendezvous.value)
        owned = (own.address for host in self.hosts for own in host.addresses)
        return next((address.network for address in owned if address.ip == wanted), None)

    @property
    def machine_networks(self) -> tuple[tuple[Place[str], IpNetwork], ...]:
        return self.networks("networking", "machineNetwork", ..., "cidr")

    def networks(self, *pattern: str | EllipsisType) -> tuple[tuple[Place[str], IpNetwork], ...]:
        """The networks that install-config.yaml gives there."""
        return tuple((place, ipaddress.ip_network(place.value)) for place in self.install.find(str, *pattern))

    def count(self, *pattern: str | int) -> Place[int] | None:
        return next(self.install.find(int, *pattern), None)
