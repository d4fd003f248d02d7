"""Reading agent-config.yaml for which machines to make: names, MACs, addresses, disks.

Judging the file is `cluster0 create image`'s task; whatever else is in it is passed over here.
"""

from __future__ import annotations

from ipaddress import IPv4Interface
from pathlib import Path

import msgspec
import yaml

from agent.api.problems import Problem

ROOT_DISK = "/dev/vda"


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to make.

    `address`: its first static one, with prefix, None when it has none; `gateway`: of its default route.
    """

    name: str
    macs: tuple[str, ...]
    address: IPv4Interface | None = None
    gateway: str = ""
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


class _Ipv4(msgspec.Struct, frozen=True):
    address: tuple[_Address, ...] = ()


class _NmInterface(msgspec.Struct, frozen=True):
    ipv4: _Ipv4 = _Ipv4()


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
    addresses = [f"{each.ip}/{each.prefix}" for nic in entry.network.interfaces for each in nic.ipv4.address]
    gateways = [route.gateway for route in entry.network.routes.config if route.destination == "0.0.0.0/0"]
    return Host(
        name=entry.hostname or f"host{number}",
        macs=tuple(interface.mac.lower() for interface in entry.interfaces),
        address=IPv4Interface(addresses[0]) if addresses else None,
        gateway=gateways[0] if gateways else "",
        root_disk=entry.hints.device,
    )
