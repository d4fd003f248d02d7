"""NetworkManager keyfiles from the network model. Pure.

Only key names that NetworkManager 1.42 and 1.52 both read. A NIC is selected by MAC alone, without `interface-name`:
then the same file is right on the installed system, whatever the kernel calls the NIC there. UUIDs are made from
cluster, host and name, so that a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_interface, ip_network
from uuid import UUID, uuid5

from agent.api.network import Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Route
from agent.api.problems import Problem

DIRECTORY = "/etc/NetworkManager/system-connections"
FAMILIES = (4, 6)

DHCP_EVERYWHERE = """\
[connection]
id=cluster0-dhcp
uuid=f1f6f2a1-2d0e-5b36-9c3f-7c1f6d0c8c39
type=ethernet
multi-connect=3

[ipv4]
method=auto

[ipv6]
method=auto
"""


def connection_uuid(cluster_id: str, hostname: str, interface: str) -> str:
    """The UUID of the connection for the logical `interface` of a host, the same on every run."""
    return str(uuid5(UUID(cluster_id), f"{hostname}/{interface}"))


def render(model: NetworkModel, *, cluster_id: str, hostname: str) -> dict[str, str]:
    """File name to content. Raises Problem when a DNS server has no interface to be asked through."""
    dns = {family: _dns_interface(model, family) for family in FAMILIES}
    return {
        f"{interface.name}.nmconnection": _ethernet(
            interface,
            uuid=connection_uuid(cluster_id, hostname, interface.name),
            routes=[route for route in model.routes if route.interface == interface.name],
            dns={family: model.dns if dns[family] == interface.name else Dns() for family in FAMILIES},
        )
        for interface in model.interfaces
    }


def _ethernet(interface: Ethernet, *, uuid: str, routes: list[Route], dns: dict[int, Dns]) -> str:
    ethernet = [f"mac-address={interface.mac}"]
    if interface.mtu:
        ethernet.append(f"mtu={interface.mtu}")
    sections = {
        "connection": [f"id={interface.name}", f"uuid={uuid}", "type=ethernet", "autoconnect-priority=1"],
        "ethernet": ethernet,
        "ipv4": _ip(4, interface.ipv4, routes, dns[4]),
        "ipv6": _ip(6, interface.ipv6, routes, dns[6]),
    }
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def _ip(family: int, config: IpConfig, routes: Iterable[Route], dns: Dns) -> list[str]:
    lines = [f"method={config.method}"]
    lines += [f"address{number}={address}" for number, address in enumerate(config.addresses, 1)]
    for number, route in enumerate((r for r in routes if ip_network(r.destination).version == family), 1):
        lines += _route(number, route)
    servers = [server for server in dns.servers if ip_address(server).version == family]
    if servers:
        lines.append("dns=" + "".join(f"{server};" for server in servers))
        lines += ["dns-search=" + "".join(f"{domain};" for domain in dns.search)] if dns.search else []
        lines += ["ignore-auto-dns=true"] if config.method is IpMethod.AUTO else []
    return lines


def _route(number: int, route: Route) -> list[str]:
    """`routeN=destination[,gateway[,metric]]`; on link but with a metric, the gateway is written as 0.0.0.0 or ::."""
    unspecified = "::" if ":" in route.destination else "0.0.0.0"
    parts = [route.destination, route.gateway]
    if route.metric >= 0:
        parts = [route.destination, route.gateway or unspecified, str(route.metric)]
    lines = [f"route{number}=" + ",".join(part for part in parts if part)]
    return [*lines, f"route{number}_options=table={route.table}"] if route.table else lines


def _dns_interface(model: NetworkModel, family: int) -> str:
    """Where this family's servers are asked: on the default route's interface, else the first that has the family."""
    servers = [server for server in model.dns.servers if ip_address(server).version == family]
    default = "::/0" if family == 6 else "0.0.0.0/0"
    with_route = [route.interface for route in model.routes if route.destination == default]
    enabled = [i.name for i in model.interfaces if (i.ipv4, i.ipv6)[family == 6].method is not IpMethod.DISABLED]
    choice = [*(name for name in with_route if name in enabled), *enabled]
    if servers and not choice:
        raise Problem(
            code="dns-unreachable",
            title=f"DNS server {servers[0]}: no interface of this host has IPv{family}",
            remedy=f"Enable IPv{family} on an interface in networkConfig, or remove the server.",
        )
    return choice[0] if servers else ""


def first_address(model: NetworkModel) -> str:
    """The host's own address, without a prefix length: the first static one; empty when all come by DHCP."""
    addresses = [address for nic in model.interfaces for address in (*nic.ipv4.addresses, *nic.ipv6.addresses)]
    return str(ip_interface(addresses[0]).ip) if addresses else ""
