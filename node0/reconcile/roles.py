"""Which role each host gets: the rendezvous address makes the bootstrap host, `auto-assign` fills the control plane."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

import msgspec

from agent.model.intent import Role
from agent.model.inventory import Inventory
from node0.store.host_diff import HostDiff, HostDiffs
from node0.store.records import HostRecord, InfraEnvRecord, Records


def assign_roles(records: Records, changed: HostDiffs | None = None) -> dict[str, HostRecord]:
    """The hosts that get another `bootstrap` or `suggested_role` than they have, with both set.

    `changed`: since the last call, where neither the rendezvous address nor the size of the control plane has changed
    since then. None: look at all hosts.
    """
    rendezvous = _rendezvous_address(records.infra_env)
    if changed is None:
        candidates = list(records.hosts.values())
    else:
        candidates = [diff.new for diff in changed.values() if diff.new is not None]
    found = {host.id: new for host in candidates if (new := _with_bootstrap(host, rendezvous)) is not host}
    hosts = {**records.hosts, **found}
    if changed is None or _changes_roles(changed, hosts):
        control_planes = records.cluster.spec.control_plane_count if records.cluster else 0
        for id, role in _suggestions(hosts, control_planes):
            if hosts[id].suggested_role is not role and hosts[id].status.is_before_install:
                found[id] = msgspec.structs.replace(hosts[id], suggested_role=role)
    return found


def _changes_roles(changed: HostDiffs, hosts: dict[str, HostRecord]) -> bool:
    return any(HostDiff(diff.old, hosts.get(id)).changes(_role_inputs) for id, diff in changed.items())


def _role_inputs(host: HostRecord) -> tuple[object, ...]:
    """What of a host decides about the roles of all. Where a change was lost, `suggested_role` alone differs."""
    return (host.role, host.suggested_role, host.bootstrap, host.status.is_before_install)


def _has_address(inventory: Inventory | None, address: str) -> bool:
    """Whether `address` is one of the host's."""
    if inventory is None or not address:
        return False
    return any(
        own.partition("/")[0] == address
        for interface in inventory.interfaces
        for own in interface.ipv4_addresses + interface.ipv6_addresses
    )


def _rendezvous_address(infra_env: InfraEnvRecord | None) -> str:
    """The rendezvous address as the kernel writes addresses; empty while it is not known."""
    return str(ip_address(infra_env.spec.rendezvous_ip)) if infra_env and infra_env.spec.rendezvous_ip else ""


def _with_bootstrap(host: HostRecord, rendezvous: str) -> HostRecord:
    bootstrap = _has_address(host.inventory, rendezvous)
    if host.bootstrap == bootstrap or not host.status.is_before_install:
        return host
    return msgspec.structs.replace(host, bootstrap=bootstrap)


def _suggestions(hosts: dict[str, HostRecord], control_planes: int) -> Iterator[tuple[str, Role]]:
    """A role for every host: the requested one, else a place of the control plane while any is free."""
    free = control_planes - sum(host.role is Role.MASTER for host in hosts.values())
    for host in sorted(hosts.values(), key=lambda host: not host.bootstrap):
        if host.role is not Role.AUTO_ASSIGN:
            yield host.id, host.role
        elif free > 0:
            free -= 1
            yield host.id, Role.MASTER
        else:
            yield host.id, Role.WORKER
