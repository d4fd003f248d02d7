"""Can the hosts use the routes they are given?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.addresses import is_broadcast
from inputs.rules.facts import Facts, HostFacts
from inputs.rules.interface_facts import configured

_ROUTES = ("networkConfig", "routes", "config", ...)
_DEFAULTS = ("0.0.0.0/0", "::/0")


def routes_are_usable(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for name in host.find(str, *_ROUTES, "next-hop-interface"):
            yield from _through_a_known_interface(host, name)
        for gateway in host.find(str, *_ROUTES, "next-hop-address"):
            yield from _of_the_destinations_family(host, gateway)
        if host.addresses and not host.has_unknown_addresses:
            yield from _has_a_default_route(host)


def _through_a_known_interface(host: HostFacts, name: Place[str]) -> Iterator[Finding]:
    known = {interface.name for interface in configured(host)}
    if name.value not in known and not host.interfaces_have_errors(("name",)):
        yield name.error(
            "route-interface-unknown",
            f"networkConfig of {host.name} sets up no interface {name.value}.",
            f"Name one of: {', '.join(sorted(known)) or 'an interface in networkConfig.interfaces'}.",
        )
    elif name.value in known and not host.has_unknown_addresses:
        for gateway in host.source.find(str, *name.path[:-1], "next-hop-address"):
            yield from _on_link(host, gateway, name.value)


def _of_the_destinations_family(host: HostFacts, gateway: Place[str]) -> Iterator[Finding]:
    for destination in host.source.find(str, *gateway.path[:-1], "destination"):
        version = ipaddress.ip_network(destination.value).version
        if ipaddress.ip_address(gateway.value).version != version:
            yield gateway.error(
                "gateway-family-wrong",
                f"The destination {destination.value} is IPv{version}, the gateway {gateway.value} is not.",
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
    if not any(place.value in _DEFAULTS for place in host.find(str, *_ROUTES, "destination")):
        path = (*host.path, "networkConfig")
        yield host.source.finding(
            path, "default-route-missing",
            f"{host.name} has no default route, and Kubernetes wants one even where it leads nowhere.",
            "Add a route with destination 0.0.0.0/0 (or ::/0) to networkConfig.routes.config.", at_key=True,
        )  # fmt: skip
