"""Builds NetworkManager's connections from the network model, one for each interface. Pure functions.

A connection has the interface's name on this host, its controller, and the routes, rules and DNS servers assigned to
it. `keyfiles` writes connections as files that NetworkManager reads at its start, `dbus_settings` for its D-Bus API.

A NIC is selected by MAC alone, without an interface name: so the same file fits the installed system, where the kernel
may give the NIC another name. UUIDs derive from cluster, host and interface name, so that a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import assert_never
from uuid import UUID, uuid5

from agent.model.network import (
    Bond,
    Bridge,
    Dns,
    Dummy,
    Ethernet,
    Interface,
    IpMethod,
    NetworkModel,
    Port,
    Route,
    Vlan,
    Vrf,
)
from agent.model.problems import Problem
from agent.network.ip_part import IpPart, Section

FAMILIES = (4, 6)
REORDER_HEADERS = 1  # NetworkManager's own default for a VLAN's flags


@dataclass(frozen=True)
class Connection:
    """One connection profile of NetworkManager.

    name: logical name of the interface, as the inputs give it. interface: its name on this host.
    sections: all but [ipv4] and [ipv6]: name of the section → key → value, spelled as in keyfiles.
    ip: 4 and 6 → that family's section; empty for a port of a bond or bridge, which has no addresses.
    """

    name: str
    interface: str
    uuid: str
    sections: Mapping[str, Section]
    ip: Mapping[int, IpPart] = field(default_factory=dict)


def connection_uuid(cluster_id: str, hostname: str, interface: str) -> str:
    """The UUID of the connection for the logical `interface` of a host, the same on every run."""
    return str(uuid5(UUID(cluster_id), f"{hostname}/{interface}"))


def connections(
    model: NetworkModel, *, cluster_id: str, hostname: str, names: Mapping[str, str]
) -> tuple[Connection, ...]:
    """One connection for each interface, in the model's order. `names`: logical name of a NIC → its name on this host.

    Raises Problem `dns-unreachable` when no interface can reach a DNS server.
    """
    dns = {family: _dns_interface(model, family) for family in FAMILIES}
    rules = {family: _rules_interface(model, family) for family in FAMILIES}
    memberships = dict(_memberships(model))

    def ip_part(interface: Interface, family: int) -> IpPart:
        return IpPart(
            config=interface.ipv6 if family == 6 else interface.ipv4,
            routes=tuple(_of_family(model.routes, family, interface.name)),
            rules=tuple(r for r in model.rules if r.family == family and rules[family] == interface.name),
            dns=_dns_part(model.dns, family) if dns[family] == interface.name else Dns(),
        )

    return tuple(
        Connection(
            name=interface.name,
            interface=names.get(interface.name, interface.name),
            uuid=(uuid := connection_uuid(cluster_id, hostname, interface.name)),
            sections=_sections(interface, uuid, memberships.get(interface.name), names),
            ip={} if _has_no_ip(memberships.get(interface.name)) else {f: ip_part(interface, f) for f in FAMILIES},
        )
        for interface in model.interfaces
    )


@dataclass(frozen=True)
class _Membership:
    """An interface is this `port` of `controller`; kind: "bond", "bridge" or "vrf"."""

    controller: str
    kind: str
    port: Port


def _memberships(model: NetworkModel) -> Iterator[tuple[str, _Membership]]:
    for interface in model.interfaces:
        if isinstance(interface, Bond | Bridge | Vrf):
            kind = type(interface).__name__.lower()
            for port in interface.ports:
                yield port.name, _Membership(interface.name, kind, port)


def _has_no_ip(membership: _Membership | None) -> bool:
    return membership is not None and membership.kind != "vrf"


def _sections(
    interface: Interface, uuid: str, membership: _Membership | None, names: Mapping[str, str]
) -> dict[str, Section]:
    sections = {"connection": _connection(interface, uuid), **_of_kind(interface, names)}
    if membership:
        # The old property names: NetworkManager 1.42 ignores `controller` and `port-type`.
        sections["connection"] |= {"master": membership.controller, "slave-type": membership.kind}
        if membership.port.options:
            sections[f"{membership.kind}-port"] = dict(membership.port.options)
    if interface.ethtool:
        sections["ethtool"] = dict(interface.ethtool)
    return {name: section for name, section in sections.items() if section}


def _connection(interface: Interface, uuid: str) -> Section:
    kind = type(interface).__name__.lower()
    section: Section = {"id": interface.name, "uuid": uuid, "type": kind}
    if not isinstance(interface, Ethernet):
        section["interface-name"] = interface.name
    section["autoconnect-priority"] = 1
    if isinstance(interface, Bond | Bridge | Vrf):
        section["autoconnect-slaves"] = 1
    if interface.lldp is not None:
        section["lldp"] = int(interface.lldp)
    return section


def _of_kind(interface: Interface, names: Mapping[str, str]) -> dict[str, Section]:
    match interface:
        case Ethernet():
            return {"ethernet": {"mac-address": interface.mac, **_wired(interface), **_link_mode(interface)}}
        case Bond():
            return {"ethernet": _wired(interface), "bond": _bond(interface, names)}
        case Vlan():
            return {"ethernet": _wired(interface), "vlan": _vlan(interface, names)}
        case Bridge():
            return {"ethernet": _wired(interface), "bridge": {"stp": interface.stp, **interface.options}}
        case Vrf():
            return {"vrf": {"table": interface.table}}
        case Dummy():
            return {"ethernet": _wired(interface), "dummy": {}}
        case _:
            assert_never(interface)


def _wired(interface: Ethernet | Bond | Vlan | Bridge | Dummy) -> Section:
    section: Section = {}
    if not isinstance(interface, Ethernet) and interface.mac:
        section["cloned-mac-address"] = interface.mac
    if interface.mtu:
        section["mtu"] = interface.mtu
    return section


def _link_mode(interface: Ethernet) -> Section:
    """NetworkManager accepts speed and duplex only together."""
    section: Section = {}
    if interface.auto_negotiation is not None:
        section["auto-negotiate"] = interface.auto_negotiation
    if interface.speed:
        section |= {"speed": interface.speed, "duplex": interface.duplex}
    return section


def _bond(interface: Bond, names: Mapping[str, str]) -> Section:
    options = dict(interface.options)
    for option in {"primary", "active_slave"} & options.keys():
        options[option] = names.get(options[option], options[option])
    return {"mode": interface.mode, **options}


def _vlan(interface: Vlan, names: Mapping[str, str]) -> Section:
    section: Section = {"flags": REORDER_HEADERS, "id": interface.id}
    section["parent"] = names.get(interface.parent, interface.parent)
    if interface.protocol != "802.1q":
        section["protocol"] = interface.protocol
    return section


def _of_family(routes: tuple[Route, ...], family: int, interface: str) -> Iterator[Route]:
    for route in routes:
        if route.interface == interface and ip_network(route.destination).version == family:
            yield route


def _dns_part(dns: Dns, family: int) -> Dns:
    return Dns(servers=tuple(s for s in dns.servers if ip_address(s).version == family), search=dns.search)


def _enabled(model: NetworkModel, family: int) -> list[str]:
    """Names of the interfaces on which this IP family is enabled."""
    configs = {interface.name: interface.ipv6 if family == 6 else interface.ipv4 for interface in model.interfaces}
    return [name for name, config in configs.items() if config.method is not IpMethod.DISABLED]


def _dns_interface(model: NetworkModel, family: int) -> str:
    """The interface that gets this family's DNS servers: the one with the default route, else the first enabled one.

    Empty without servers of this family.
    """
    servers = _dns_part(model.dns, family).servers
    default = "::/0" if family == 6 else "0.0.0.0/0"
    with_route = [route.interface for route in model.routes if route.destination == default]
    enabled = _enabled(model, family)
    choice = [*(name for name in with_route if name in enabled), *enabled]
    if servers and not choice:
        raise Problem(
            code="dns-unreachable",
            title=f"DNS server {servers[0]}: no interface of this host has IPv{family}",
            remedy=f"Enable IPv{family} on an interface in networkConfig, or remove the server.",
        )
    return choice[0] if servers else ""


def _rules_interface(model: NetworkModel, family: int) -> str:
    """The interface that gets this family's routing rules; empty if no interface has the family.

    Rules apply to the whole host, but NetworkManager keeps them in a connection: the first with a route in a rule's
    table, else the first enabled one.
    """
    tables = {rule.table for rule in model.rules if rule.family == family}
    routed = [route.interface for route in model.routes if route.table in tables]
    enabled = _enabled(model, family)
    return next((name for name in (*routed, *enabled) if name in enabled), "")
