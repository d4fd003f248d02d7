"""Reading agent-config.yaml, or the manifests, for which machines to make: names, MACs, addresses, disks.

Judging them is `cluster0 create image`'s task; whatever else is in them is passed over here.
"""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from pathlib import Path

import msgspec
import yaml

from agent.model.problems import Problem
from vm_harness.lab import manifests

ROOT_DISK = "/dev/vda"
DEFAULT_ROUTES = ("0.0.0.0/0", "::/0")


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to make.

    `address`: its first static one, with prefix, None when it has none; `gateway`: of its default route; `vlan`: the
    one that the address is on.
    """

    name: str
    macs: tuple[str, ...]
    address: IPv4Interface | IPv6Interface | None = None
    gateway: str = ""
    vlan: int | None = None
    root_disk: str = ROOT_DISK


def read(path: Path) -> tuple[Host, ...]:
    """The machines that the agent-config.yaml at `path` asks for.

    Raises `Problem` (`inputs-unreadable`, `inputs-without-hosts`).
    """
    try:
        # BaseLoader keeps every scalar a string: YAML 1.1 reads 52:54:00:12:34:56 as a number in base 60.
        return parse(yaml.load(path.read_text(), yaml.BaseLoader), origin=str(path))
    except (OSError, yaml.YAMLError) as error:
        raise _unreadable(str(path), error) from error


def read_manifests(directory: Path) -> tuple[Host, ...]:
    """The machines that `directory`/cluster-manifests asks for. Raises as `read` does."""
    origin = str(directory / manifests.DIRECTORY)
    try:
        return parse(manifests.agent_config(directory), origin=origin)
    except (OSError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise _unreadable(origin, error) from error


def parse(document: object, *, origin: str) -> tuple[Host, ...]:
    """The same for a document read already; `origin` names it in errors."""
    try:
        config = msgspec.convert(document, _AgentConfig, strict=False)
    except msgspec.ValidationError as error:
        raise _unreadable(origin, error) from error
    if not config.hosts:
        raise Problem(
            code="inputs-without-hosts",
            title=f"{origin} lists no hosts, so the lab does not know which machines to make",
            remedy="List each host with its MAC addresses under `hosts:`.",
        )
    return tuple(_host(number, entry) for number, entry in enumerate(config.hosts))


def _unreadable(origin: str, error: Exception) -> Problem:
    return Problem(code="inputs-unreadable", title=f"{origin}: {error}", remedy="`cluster0 validate` says more.")


class _Interface(msgspec.Struct, frozen=True):
    mac: str = msgspec.field(name="macAddress")


class _Address(msgspec.Struct, frozen=True):
    ip: str
    prefix: int = msgspec.field(name="prefix-length")


class _Addresses(msgspec.Struct, frozen=True):
    address: tuple[_Address, ...] = ()


class _Vlan(msgspec.Struct, frozen=True):
    id: int | None = None


class _NmInterface(msgspec.Struct, frozen=True):
    ipv4: _Addresses = _Addresses()
    ipv6: _Addresses = _Addresses()
    vlan: _Vlan = _Vlan()

    @property
    def static(self) -> tuple[_Address, ...]:
        return self.ipv4.address + self.ipv6.address


class _NmRoute(msgspec.Struct, frozen=True):
    destination: str
    gateway: str = msgspec.field(name="next-hop-address", default="")


class _NmRoutes(msgspec.Struct, frozen=True):
    config: tuple[_NmRoute, ...] = ()


class _Network(msgspec.Struct, frozen=True):
    interfaces: tuple[_NmInterface, ...] = ()
    routes: _NmRoutes = _NmRoutes()


class _Hints(msgspec.Struct, frozen=True):
    device: str = msgspec.field(name="deviceName", default=ROOT_DISK)


class _HostEntry(msgspec.Struct, frozen=True):
    interfaces: tuple[_Interface, ...] = ()
    hostname: str = ""
    hints: _Hints = msgspec.field(name="rootDeviceHints", default_factory=_Hints)
    network: _Network = msgspec.field(name="networkConfig", default_factory=_Network)


class _AgentConfig(msgspec.Struct, frozen=True):
    hosts: tuple[_HostEntry, ...] = ()


def _host(number: int, entry: _HostEntry) -> Host:
    addressed = next((nic for nic in entry.network.interfaces if nic.static), _NmInterface())
    first = next(iter(addressed.static), None)
    gateways = [route.gateway for route in entry.network.routes.config if route.destination in DEFAULT_ROUTES]
    return Host(
        name=entry.hostname or f"host{number}",
        macs=tuple(interface.mac.lower() for interface in entry.interfaces),
        address=ip_interface(f"{first.ip}/{first.prefix}") if first else None,
        gateway=gateways[0] if gateways else "",
        vlan=addressed.vlan.id,
        root_disk=entry.hints.device,
    )
