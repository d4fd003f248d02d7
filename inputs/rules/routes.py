"""Hosts can use their routes: gateways are on link, and there is a default route."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import GATEWAY, NAME, NETWORK_CONFIG, ROUTES, HostFacts, is_broadcast
from inputs.facts.interfaces import configured_interfaces
from inputs.schema.network_config import NmstateRoute

_DESTINATION = field_path(NmstateRoute, str, "destination")
_INTERFACE = field_path(NmstateRoute, str, "next-hop-interface")
_DEFAULTS = ("0.0.0.0/0", "::/0")


def routes_are_usable(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for route in host.sections(ROUTES):
            for name in route.find(_INTERFACE):
                yield from _through_a_known_interface(host, route, name)
            for gateway in route.find(GATEWAY):
                yield from _of_the_destinations_family(route, gateway)
        if host.addresses and not host.has_unknown_addresses:
            yield from _has_a_default_route(host)


def _through_a_known_interface(host: HostFacts, route: Fields[NmstateRoute], name: Place[str]) -> Iterator[Finding]:
    known = {interface.name for interface in configured_interfaces(host)}
    if name.value not in known and not host.interfaces_have_errors(NAME):
        yield name.error(
            "route-interface-unknown",
            f"networkConfig of {host.name} sets up no interface {name.value}.",
            f"Name one of: {', '.join(sorted(known)) or 'an interface in networkConfig.interfaces'}.",
        )
    elif name.value in known and not host.has_unknown_addresses:
        for gateway in route.find(GATEWAY):
            yield from _on_link(host, gateway, name.value)


def _of_the_destinations_family(route: Fields[NmstateRoute], gateway: Place[str]) -> Iterator[Finding]:
    for destination in route.find(_DESTINATION):
        version = ipaddress.ip_network(destination.value).version
        if ipaddress.ip_address(gateway.value).version != version:
            yield gateway.error(
                "gateway-family-wrong",
                f"The destination {destination.value} is IPv{version}, but the gateway {gateway.value} is not.",
                f"Write the router's IPv{version} address.",
            )


def _on_link(host: HostFacts, gateway: Place[str], interface: str) -> Iterator[Finding]:
    address = ipaddress.ip_address(gateway.value)
    if address.is_link_local:
        return
    networks = [own.address.network for own in host.addresses if own.interface == interface]
    if any(own.address.ip == address for own in host.addresses):
        yield gateway.error("gateway-is-host", f"{address} is {host.name} itself.", "Write the address of the router.")
    elif any(is_broadcast(address, network) for network in networks):
        rule = f"{address} is the first or last address of its network, which no router can have."
        yield gateway.error("gateway-not-a-host", rule, "Write the address of the router.")
    elif not any(address in network for network in networks):
        reachable = ", ".join(map(str, networks)) or "nothing: it has no address"
        yield gateway.error(
            "gateway-off-link",
            f"{interface} of {host.name} does not reach the gateway {address} directly (it reaches {reachable}).",
            "Correct the gateway, the address or its prefix-length.",
        )


def _has_a_default_route(host: HostFacts) -> Iterator[Finding]:
    destinations = (place.value for route in host.sections(ROUTES) for place in route.find(_DESTINATION))
    if not any(destination in _DEFAULTS for destination in destinations):
        yield host.finding(
            NETWORK_CONFIG, "default-route-missing",
            f"{host.name} has no default route. Kubernetes needs one, even if it leads nowhere.",
            "Add a route with destination 0.0.0.0/0 (or ::/0) to networkConfig.routes.config.", at_key=True,
        )  # fmt: skip
