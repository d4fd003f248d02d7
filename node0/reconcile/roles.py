"""Who becomes what: the rendezvous address makes the bootstrap host, `auto-assign` fills the control plane first."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

import msgspec

from agent.model.intent import Role
from agent.model.inventory import Inventory
from node0.store.host_diff import HostDiff, HostDiffs
from node0.store.records import HostRecord, InfraEnvRecord, Records


def assign(records: Records, moved: HostDiffs, *, anew: bool) -> dict[str, HostRecord]:
    """The hosts for which `bootstrap` or `suggested_role` are others now, with them set.

    `moved`: since this was done last. `anew`: the rendezvous address or the size of the control plane is another one.
    """
    rendezvous = _address(records.infra_env)
    looked_at = records.hosts.values() if anew else [move.new for move in moved.values() if move.new is not None]
    found = {host.id: led for host in looked_at if (led := _leading(host, rendezvous)) is not host}
    hosts = {**records.hosts, **found}
    if anew or any(HostDiff(move.old, hosts.get(key)).changes(_wish) for key, move in moved.items()):
        masters = records.cluster.asked.control_plane_count if records.cluster else 0
        for key, role in _suggestions(hosts, masters):
            if hosts[key].suggested_role is not role and hosts[key].status.is_before_install:
                found[key] = msgspec.structs.replace(hosts[key], suggested_role=role)
    return found


def _wish(host: HostRecord) -> tuple[object, ...]:
    """What of a host gives roles to all. What was suggested is another by itself where a change was lost."""
    return (host.role, host.suggested_role, host.bootstrap, host.status.is_before_install)


def has_address(inventory: Inventory | None, address: str) -> bool:
    """Whether `address` is one of the host's."""
    if inventory is None or not address:
        return False
    return any(
        own.partition("/")[0] == address
        for interface in inventory.interfaces
        for own in interface.ipv4_addresses + interface.ipv6_addresses
    )


def _address(infra_env: InfraEnvRecord | None) -> str:
    """The rendezvous address as the kernel would write it; empty while it is not known."""
    return str(ip_address(infra_env.asked.rendezvous_ip)) if infra_env and infra_env.asked.rendezvous_ip else ""


def _leading(host: HostRecord, rendezvous: str) -> HostRecord:
    bootstrap = has_address(host.inventory, rendezvous)
    if host.bootstrap == bootstrap or not host.status.is_before_install:
        return host
    return msgspec.structs.replace(host, bootstrap=bootstrap)


def _suggestions(hosts: dict[str, HostRecord], masters: int) -> Iterator[tuple[str, Role]]:
    free = masters - sum(host.role is Role.MASTER for host in hosts.values())
    for host in sorted(hosts.values(), key=lambda host: not host.bootstrap):
        if host.role is not Role.AUTO_ASSIGN:
            yield host.id, host.role
        elif free > 0:
            free -= 1
            yield host.id, Role.MASTER
        else:
            yield host.id, Role.WORKER
