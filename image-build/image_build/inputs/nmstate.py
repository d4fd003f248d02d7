"""From a host's NMState document to the plain network model that the agent renders."""

from __future__ import annotations

from agent.api.intent import InterfaceIntent
from agent.api.network import Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Route
from image_build.inputs.network_config import IpSettings, NetworkConfig, NmstateInterface, NmstateRoute

_DISABLED = IpConfig(method=IpMethod.DISABLED)
_AUTO = IpConfig(method=IpMethod.AUTO)


def network_model(config: NetworkConfig, interfaces: tuple[InterfaceIntent, ...]) -> NetworkModel:
    """`interfaces` lists every interface of `config` by name: the rules have seen to that."""
    macs = {interface.name: interface.mac for interface in interfaces}
    return NetworkModel(
        interfaces=tuple(_ethernet(interface, macs[interface.name]) for interface in config.interfaces),
        routes=tuple(_route(route) for route in config.routes.config),
        dns=Dns(servers=config.dns_resolver.config.server, search=config.dns_resolver.config.search),
    )


def automatic(interfaces: tuple[InterfaceIntent, ...]) -> NetworkModel:
    """A host without `networkConfig`: every listed NIC asks the network."""
    return NetworkModel(
        interfaces=tuple(Ethernet(name=nic.name, mac=nic.mac, ipv4=_AUTO, ipv6=_AUTO) for nic in interfaces)
    )


def _ethernet(interface: NmstateInterface, mac: str) -> Ethernet:
    return Ethernet(name=interface.name, mac=mac, ipv4=_ip(interface.ipv4), ipv6=_DISABLED, mtu=interface.mtu)


def _ip(settings: IpSettings) -> IpConfig:
    if not settings.enabled:
        return _DISABLED
    if settings.dhcp:
        return _AUTO
    addresses = tuple(f"{address.ip}/{address.prefix_length}" for address in settings.address)
    return IpConfig(method=IpMethod.MANUAL, addresses=addresses)


def _route(route: NmstateRoute) -> Route:
    return Route(
        destination=route.destination,
        gateway=route.next_hop_address,
        interface=route.next_hop_interface,
        metric=route.metric,
        table=route.table_id,
    )
