"""The host's name, and the names it must know without a DNS server."""

from __future__ import annotations

from ipaddress import ip_interface, ip_network

from agent.machine import Machine
from agent.model.intent import ClusterIntent, HostIntent

LOCALHOST = """\
127.0.0.1 localhost
::1 localhost ip6-localhost ip6-loopback
"""


def set_names(machine: Machine, intent: ClusterIntent, host: HostIntent) -> None:
    """`/etc/hostname`, the kernel's hostname and `/etc/hosts`; the same again on a second run."""
    machine.files.write("/etc/hostname", f"{host.hostname}\n")
    machine.kernel.set_hostname(host.hostname)
    machine.files.write("/etc/hosts", render_hosts(intent, host))


def render_hosts(intent: ClusterIntent, host: HostIntent) -> str:
    """The host itself and the API, inside and outside, so that a site without DNS works. Pure."""
    short, _, domain = host.hostname.partition(".")
    full = host.hostname if domain else f"{short}.{intent.domain}"
    own = own_address(intent, host)
    names = f"{own} {full} {short}\n" if own else ""
    return f"{LOCALHOST}{names}{intent.api_address} api.{intent.domain} api-int.{intent.domain}\n"


def own_address(intent: ClusterIntent, host: HostIntent) -> str:
    """The host's static address in a machine network, else its first one, without a prefix length; empty when all come
    from the network. Pure."""
    static = [ip_interface(address) for address in host.network.static_addresses]
    machines = [ip_network(network) for network in intent.machine_networks]
    inside = [address for address in static if any(address.ip in network for network in machines)]
    return next((str(address.ip) for address in (*inside, *static)), "")
