"""Converts a host's NMState document to the network model from which the agent writes NetworkManager profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from agent.model.intent import InterfaceIntent
from agent.model.network import (
    Bond,
    Bridge,
    Dns,
    Dummy,
    Ethernet,
    Interface,
    IpConfig,
    IpMethod,
    NetworkModel,
    Port,
    Route,
    RouteRule,
    Vlan,
    Vrf,
)
from inputs.nmstate.interface_settings import ethtool, ip_config
from inputs.schema.network_config import (
    UNSET,
    BondPort,
    BridgePort,
    BridgeSettings,
    LinkAggregation,
    NetworkConfig,
    NmstateInterface,
    NmstateRoute,
    NmstateRule,
)

_AUTO = IpConfig(method=IpMethod.AUTO)


def network_model(config: NetworkConfig, interfaces: tuple[InterfaceIntent, ...]) -> NetworkModel:
    """`interfaces` or `config` has the MAC of every NIC: the rules have checked that."""
    host = _Host.of(config, interfaces)
    described = [host.interface(interface) for interface in config.interfaces]
    return NetworkModel(
        interfaces=(*described, *host.nics_without_settings()),
        routes=tuple(_route(route) for route in config.routes.config),
        rules=tuple(_rule(rule) for rule in config.route_rules.config),
        dns=Dns(servers=config.dns_resolver.config.server, search=config.dns_resolver.config.search),
    )


def automatic(interfaces: tuple[InterfaceIntent, ...]) -> NetworkModel:
    """A host without `networkConfig`: automatic addresses on every listed NIC."""
    return NetworkModel(
        interfaces=tuple(Ethernet(name=nic.name, mac=nic.mac, ipv4=_AUTO, ipv6=_AUTO) for nic in interfaces)
    )


@dataclass(frozen=True)
class _Host:
    """One host's document. `macs`: logical name of each NIC → its MAC address."""

    config: NetworkConfig
    macs: Mapping[str, str]

    @classmethod
    def of(cls, config: NetworkConfig, interfaces: Iterable[InterfaceIntent]) -> _Host:
        own = {nic.name: nic.mac_address for nic in config.interfaces if nic.type == "ethernet" and nic.mac_address}
        return cls(config, own | {interface.name: interface.mac for interface in interfaces})

    def interface(self, given: NmstateInterface) -> Interface:
        common: dict[str, Any] = {
            "name": given.name,
            "ipv4": ip_config(given.ipv4, required="ipv4" in given.wait_ip),
            "ipv6": ip_config(given.ipv6, required="ipv6" in given.wait_ip),
            "mtu": given.mtu,
            "lldp": given.lldp.enabled if given.lldp else None,
            "ethtool": ethtool(given.ethtool),
        }
        if given.type == "ethernet":
            ethernet = given.ethernet
            return Ethernet(
                **common,
                mac=self.macs[given.name],
                auto_negotiation=ethernet.auto_negotiation,
                speed=ethernet.speed,
                duplex=ethernet.duplex,
            )
        return _virtual(given, self.port_name, common | {"mac": given.mac_address or self._first_port_mac(given)})

    def port_name(self, port: str) -> str:
        """The logical name of a bond's port, which may be given by its MAC address."""
        mac = port.lower().replace("-", ":")
        return next((name for name, own in self.macs.items() if own == mac), port)

    def nics_without_settings(self) -> Iterator[Ethernet]:
        """NICs that are only a port or the parent of a VLAN, without an entry of their own."""
        described = {interface.name for interface in self.config.interfaces}
        used = [self.port_name(name) for interface in self.config.interfaces for name in _lower(interface)]
        for name in dict.fromkeys(used):
            if name not in described:
                yield Ethernet(name=name, mac=self.macs[name])

    def _first_port_mac(self, given: NmstateInterface) -> str:
        """The MAC address for a bond or bridge without one. udev would derive it from the machine id, which changes at
        every live boot. Empty if the ports of the bond keep their own (`fail_over_mac`)."""
        if given.link_aggregation and given.link_aggregation.options.fail_over_mac not in {None, "none"}:
            return ""
        first = self.port_name(next(iter(_port_names(given)), ""))
        parent = next((interface for interface in self.config.interfaces if interface.name == first), None)
        if first in self.macs or parent is None:
            return self.macs.get(first, "")
        return parent.mac_address or self._first_port_mac(parent)


def _port_names(interface: NmstateInterface) -> tuple[str, ...]:
    """Ports of a bond, bridge or VRF as the file names them, without repeats, in its order."""
    if interface.link_aggregation:
        bond = interface.link_aggregation
        return tuple(dict.fromkeys((*bond.port, *(port.name for port in bond.ports_config))))
    if interface.bridge:
        return tuple(port.name for port in interface.bridge.port)
    return interface.vrf.port if interface.vrf else ()


def _lower(interface: NmstateInterface) -> tuple[str, ...]:
    return (interface.vlan.base_iface,) if interface.vlan else _port_names(interface)


def _virtual(given: NmstateInterface, port_name: Callable[[str], str], common: dict[str, Any]) -> Interface:
    if given.link_aggregation:
        return _bond(given.link_aggregation, _port_names(given), port_name, common)
    if given.vlan:
        parent, number, protocol = given.vlan.base_iface, given.vlan.id, given.vlan.protocol
        return Vlan(**common, parent=parent, id=number, protocol=protocol)
    if given.vrf:
        ports = tuple(Port(name=port) for port in given.vrf.port)
        own = {key: common[key] for key in ("name", "ipv4", "ipv6", "lldp", "ethtool")}
        return Vrf(**own, table=given.vrf.route_table_id, ports=ports)
    if given.type == "linux-bridge":
        return _bridge(given.bridge or BridgeSettings(), common)
    return Dummy(**common)


def _bond(
    bond: LinkAggregation, ports: tuple[str, ...], port_name: Callable[[str], str], common: dict[str, Any]
) -> Bond:
    settings = {port.name: port for port in bond.ports_config}
    options = bond.options.given()
    if "primary" in options:
        options["primary"] = port_name(options["primary"])
    return Bond(
        **common,
        mode=bond.mode,
        ports=tuple(Port(name=port_name(port), options=_bond_port(settings.get(port))) for port in ports),
        options=options,
    )


def _bond_port(port: BondPort | None) -> dict[str, bool | int]:
    values = {"prio": port.priority, "queue-id": port.queue_id} if port else {}
    return {key: value for key, value in values.items() if value}


def _bridge(bridge: BridgeSettings, common: dict[str, Any]) -> Bridge:
    stp = bridge.options.stp
    options = {
        "priority": stp.priority,
        "forward-delay": stp.forward_delay,
        "hello-time": stp.hello_time,
        "max-age": stp.max_age,
        "ageing-time": bridge.options.mac_ageing_time,
    }
    ports = tuple(Port(name=port.name, options=_bridge_port(port)) for port in bridge.port)
    return Bridge(**common, ports=ports, stp=stp.enabled, options=_set(options))


def _bridge_port(port: BridgePort) -> dict[str, bool | int]:
    numbers = _set({"path-cost": port.stp_path_cost, "priority": port.stp_priority})
    return {**numbers, **({"hairpin-mode": True} if port.stp_hairpin_mode else {})}


def _set(values: dict[str, int]) -> dict[str, int]:
    return {key: value for key, value in values.items() if value != UNSET}


def _route(route: NmstateRoute) -> Route:
    return Route(
        destination=route.destination,
        gateway=route.next_hop_address,
        interface=route.next_hop_interface,
        metric=route.metric,
        table=route.table_id,
    )


def _rule(rule: NmstateRule) -> RouteRule:
    network = rule.ip_from or rule.ip_to
    family = ip_network(network).version if network else 6 if rule.family == "ipv6" else 4
    return RouteRule(
        priority=rule.priority, table=rule.route_table, family=family, source=rule.ip_from, destination=rule.ip_to
    )
