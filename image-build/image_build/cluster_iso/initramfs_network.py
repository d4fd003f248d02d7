"""systemd-networkd's files for the initramfs of hosts without a medium: enough to reach the server of the root image.

NICs, bonds, VLANs and bridges, with addresses, routes and DNS servers. It omits what only a running system needs: VRFs,
dummies, policy rules, ethtool settings, and all options of a bond but its mode. NetworkManager in the real root sets up
the whole model. Format: systemd.network(5), systemd.netdev(5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from agent.model.intent import HostIntent
from agent.model.network import Bond, Bridge, Ethernet, Interface, IpMethod, NetworkModel, Vlan

ANY_HOST = "any"
_Lines = Iterator[str]

_DHCP_ON_EVERY_NIC = "[Match]\nType=ether\n[Network]\nDHCP=yes\nIPv6AcceptRA=yes\n"


def network_files(hosts: Iterable[HostIntent]) -> dict[str, str]:
    """`MAC/NAME`: all files of a host, once for each of its NICs; `any/NAME`: for hosts that are not listed."""
    files = {f"{ANY_HOST}/80-dhcp.network": _DHCP_ON_EVERY_NIC}
    for host in hosts:
        rendered = dict(chain(_networks(host.network), _devices(host.network)))
        for nic in host.network.nics:
            files |= {f"{nic.mac}/{name}": content for name, content in rendered.items()}
    return files


def _networks(model: NetworkModel) -> Iterator[tuple[str, str]]:
    for number, interface in enumerate(_reachable(model), start=10):
        lines = (*_match(interface), *_link(interface), *_network(interface, model), *_routes(interface, model))
        yield f"{number}-{interface.name}.network", _text(lines)


def _devices(model: NetworkModel) -> Iterator[tuple[str, str]]:
    for number, interface in enumerate(_reachable(model), start=10):
        if lines := tuple(_device(interface)):
            yield f"{number}-{interface.name}.netdev", _text(lines)


def _reachable(model: NetworkModel) -> Iterator[Ethernet | Bond | Vlan | Bridge]:
    return (each for each in model.interfaces if isinstance(each, Ethernet | Bond | Vlan | Bridge))


def _match(interface: Interface) -> _Lines:
    yield "[Match]"
    if isinstance(interface, Ethernet):
        # VLANs and bonds have the MAC address of a NIC, but another type.
        yield from (f"MACAddress={interface.mac}", "Type=ether")
    else:
        yield f"Name={interface.name}"


def _link(interface: Interface) -> _Lines:
    if interface.mtu:
        yield from ("[Link]", f"MTUBytes={interface.mtu}")


def _network(interface: Interface, model: NetworkModel) -> _Lines:
    yield "[Network]"
    for other in model.interfaces:
        if isinstance(other, Vlan) and other.parent == interface.name:
            yield f"VLAN={other.name}"
        elif isinstance(other, Bond | Bridge) and interface.name in {port.name for port in other.ports}:
            yield f"{type(other).__name__}={other.name}"
    yield from _addresses(interface)
    yield from (f"DNS={server}" for server in model.dns.servers)


def _addresses(interface: Interface) -> _Lines:
    dynamic = {IpMethod.AUTO, IpMethod.DHCP}
    four, six = interface.ipv4.method in dynamic, interface.ipv6.method is IpMethod.DHCP
    yield f"DHCP={ {(True, True): 'yes', (True, False): 'ipv4', (False, True): 'ipv6'}.get((four, six), 'no') }"
    yield f"IPv6AcceptRA={'yes' if interface.ipv6.method is IpMethod.AUTO else 'no'}"
    yield f"LinkLocalAddressing={'no' if interface.ipv6.method is IpMethod.DISABLED else 'ipv6'}"
    yield from (f"Address={address}" for address in interface.static_addresses)


def _routes(interface: Interface, model: NetworkModel) -> _Lines:
    for route in model.routes:
        if route.interface != interface.name:
            continue
        yield from ("[Route]", f"Destination={route.destination}")
        if route.gateway:
            yield from (f"Gateway={route.gateway}", "GatewayOnLink=yes")
        if route.metric >= 0:
            yield f"Metric={route.metric}"
        if route.table:
            yield f"Table={route.table}"


def _device(interface: Interface) -> _Lines:
    if isinstance(interface, Bond):
        yield from _kind(interface.name, "bond", interface.mac)
        yield from ("[Bond]", f"Mode={interface.mode}", "MIIMonitorSec=100ms")
    elif isinstance(interface, Vlan):
        yield from _kind(interface.name, "vlan", interface.mac)
        yield from ("[VLAN]", f"Id={interface.id}", f"Protocol={interface.protocol}")
    elif isinstance(interface, Bridge):
        yield from _kind(interface.name, "bridge", interface.mac)
        yield from ("[Bridge]", f"STP={'yes' if interface.stp else 'no'}", "ForwardDelaySec=2")


def _kind(name: str, kind: str, mac: str) -> _Lines:
    yield from ("[NetDev]", f"Name={name}", f"Kind={kind}")
    if mac:
        yield f"MACAddress={mac}"


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
