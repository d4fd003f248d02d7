"""The addresses of hosts: those that they reported, then those of the inputs."""

from __future__ import annotations

from collections.abc import Iterable

from agent.api.hosts import Host
from agent.model.intent import HostIntent
from client.remote.hosts import host_name
from client.remote.target import Target


def addresses(target: Target, registered: Iterable[Host]) -> dict[str, tuple[str, ...]]:
    """Host's name → its addresses, best first; without prefix lengths. Link-local ones are left out.

    node0 is always there; a host without a static address that has never registered is not.
    """
    known = {host.hostname: _static(host) for host in target.intent.hosts}
    for host in registered:
        known[host_name(host)] = tuple(dict.fromkeys((*_reported(host), *known.get(host_name(host), ()))))
    if not any(target.address in found for found in known.values()):
        known["node0"] = (target.address,)
    return {name: found for name, found in known.items() if found}


def _static(host: HostIntent) -> tuple[str, ...]:
    configured = (
        address
        for interface in host.network.interfaces
        for address in (*interface.ipv4.addresses, *interface.ipv6.addresses)
    )
    return _plain(configured)


def _reported(host: Host) -> tuple[str, ...]:
    inventory = host.decode_inventory()
    if inventory is None:
        return ()
    return _plain(address for nic in inventory.interfaces for address in (*nic.ipv4_addresses, *nic.ipv6_addresses))


def _plain(addresses: Iterable[str]) -> tuple[str, ...]:
    plain = (address.partition("/")[0] for address in addresses)
    return tuple(address for address in plain if not address.startswith("fe80:"))
