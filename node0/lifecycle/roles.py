"""Who becomes what: the rendezvous address makes the bootstrap host, `auto-assign` fills the control plane first."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

import msgspec

from agent.api.intent import Role
from agent.api.inventory import Inventory
from node0.store.records import HostRecord, InfraEnvRecord, Records


def assign(records: Records) -> dict[str, HostRecord]:
    """The hosts with `bootstrap` and `suggested_role` set; records that do not change are the same objects."""
    rendezvous = _address(records.infra_env)
    masters = records.cluster.asked.control_plane_count if records.cluster else 0
    suggestions = dict(_suggestions(records.hosts, masters, rendezvous))
    return {key: _with_role(host, suggestions[key], rendezvous) for key, host in records.hosts.items()}


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


def _suggestions(hosts: dict[str, HostRecord], masters: int, rendezvous: str) -> Iterator[tuple[str, Role]]:
    free = masters - sum(host.role is Role.MASTER for host in hosts.values())
    for host in sorted(hosts.values(), key=lambda host: not has_address(host.inventory, rendezvous)):
        if host.role is not Role.AUTO_ASSIGN:
            yield host.id, host.role
        elif free > 0:
            free -= 1
            yield host.id, Role.MASTER
        else:
            yield host.id, Role.WORKER


def _with_role(host: HostRecord, suggested: Role, rendezvous: str) -> HostRecord:
    if not host.status.is_before_install:
        return host
    bootstrap = has_address(host.inventory, rendezvous)
    if (host.suggested_role, host.bootstrap) == (suggested, bootstrap):
        return host
    return msgspec.structs.replace(host, suggested_role=suggested, bootstrap=bootstrap)
