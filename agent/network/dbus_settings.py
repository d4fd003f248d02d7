"""A connection as NetworkManager has it over D-Bus, type a{sa{sv}}: each value with its signature. Pure.

Source: NetworkManager's D-Bus API, "Settings" of each setting. Only keys of NetworkManager 1.42.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from ipaddress import ip_address, ip_interface, ip_network

from agent.machine.networkmanager import Typed
from agent.model.network import IpMethod, Route, RouteRule
from agent.network.connections import Connection
from agent.network.ip_part import IpPart, Value

Settings = dict[str, dict[str, Typed]]

# What keyfiles call by a short name.
SECTIONS = {"ethernet": "802-3-ethernet"}
TYPES = {"ethernet": "802-3-ethernet"}
MACS = frozenset({"mac-address", "cloned-mac-address"})
SIGNED = frozenset({"autoconnect-priority", "autoconnect-slaves", "lldp", "prio", "dhcp-timeout"})
LONG = frozenset({"route-metric"})
ADDR_GEN_MODES = {"eui64": 0, "stable-privacy": 1}


def settings(connection: Connection) -> Settings:
    """Everything the connection sets; what it leaves to NetworkManager is not in it."""
    result: Settings = {
        SECTIONS.get(name, name): _section(name, section) for name, section in connection.sections.items()
    }
    result |= {f"ipv{family}": _ip(family, part) for family, part in connection.ip.items()}
    return result


def _section(name: str, section: Mapping[str, Value]) -> dict[str, Typed]:
    if name == "bond":
        options = {key: value for key, value in section.items()}
        return {"options": ("a{ss}", options)}
    typed = {key: _typed(key, value) for key, value in section.items()}
    if name == "connection":
        kind = str(section["type"])
        typed["type"] = ("s", TYPES.get(kind, kind))
    return typed


def _typed(key: str, value: Value) -> Typed:
    if isinstance(value, bool):
        return "b", value
    if isinstance(value, int):
        return ("x" if key in LONG else "i" if key in SIGNED else "u"), value
    if key in MACS:
        return "ay", bytes.fromhex(value.replace(":", ""))
    if key == "addr-gen-mode":
        return "i", ADDR_GEN_MODES[value]
    return "s", value


def _ip(family: int, part: IpPart) -> dict[str, Typed]:
    typed: dict[str, Typed] = {"method": ("s", str(part.config.method))}
    if part.config.method is IpMethod.MANUAL:
        typed["address-data"] = ("aa{sv}", [_address(address) for address in part.config.addresses])
    if part.routes:
        typed["route-data"] = ("aa{sv}", [_route(route) for route in part.routes])
    if part.rules:
        typed["routing-rules"] = ("aa{sv}", [_rule(rule) for rule in part.rules])
    if part.dns.servers:
        typed["dns"] = _dns(family, part.dns.servers)
        if part.dns.search:
            typed["dns-search"] = ("as", list(part.dns.search))
    return typed | {key: _typed(key, value) for key, value in part.settings(family).items()}


def _address(address: str) -> dict[str, Typed]:
    interface = ip_interface(address)
    return {"address": ("s", str(interface.ip)), "prefix": ("u", interface.network.prefixlen)}


def _route(route: Route) -> dict[str, Typed]:
    network = ip_network(route.destination)
    typed: dict[str, Typed] = {"dest": ("s", str(network.network_address)), "prefix": ("u", network.prefixlen)}
    if route.gateway:
        typed["next-hop"] = ("s", route.gateway)
    if route.metric >= 0:
        typed["metric"] = ("u", route.metric)
    if route.table:
        typed["table"] = ("u", route.table)
    return typed


def _rule(rule: RouteRule) -> dict[str, Typed]:
    family = socket.AF_INET6 if rule.family == 6 else socket.AF_INET
    typed: dict[str, Typed] = {"family": ("i", int(family)), "priority": ("u", rule.priority)}
    for word, prefix in (("from", rule.source), ("to", rule.destination)):
        if prefix:
            network = ip_network(prefix)
            typed |= {word: ("s", str(network.network_address)), f"{word}-len": ("y", network.prefixlen)}
    return {**typed, "table": ("u", rule.table)}


def _dns(family: int, servers: tuple[str, ...]) -> Typed:
    """IPv4 addresses are numbers in network byte order, as this CPU reads the four bytes; IPv6 ones sixteen bytes."""
    packed = [ip_address(server).packed for server in servers]
    if family == 6:
        return "aay", packed
    return "au", [int.from_bytes(address, "little") for address in packed]
