"""What a host is judged by beside itself, and which hosts have to be judged again after a change.

With a thousand hosts, most changes are of one host and concern a dozen. Everything else is left as it is, but for a
look at all hosts every second, because limits pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from node0.store.records import HostRecord, Records
from node0.validations.belongs_to_majority_group import SMALLEST_GROUP
from node0.validations.facts import Census
from node0.validations.majority import majority

FULL_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Surroundings:
    """Of the records `of`; `looked_at`: when all hosts were looked at last, by the monotonic clock."""

    of: Records
    census: Census
    majority: frozenset[str]
    looked_at: float


def changed(hosts: Mapping[str, HostRecord], before: Surroundings | None) -> list[HostRecord]:
    """The hosts that are other records than before."""
    known = before.of.hosts if before else {}
    return [host for key, host in hosts.items() if known.get(key) is not host]


def concerns_others(records: Records, moved: Iterable[HostRecord], before: Surroundings | None) -> bool:
    """Whether roles and peers have to be given anew: who takes part, as what, and from where."""
    known = before.of.hosts if before else {}
    return len(records.hosts) != len(known) or any(_part(host) != _part(known.get(host.id)) for host in moved)


def _part(host: HostRecord | None) -> tuple[object, ...] | None:
    if host is None:
        return None
    return (host.approved, host.role, host.effective_role, host.hostname, host.inventory, host.status.is_before_install)


def surroundings(records: Records, before: Surroundings | None, moved: list[HostRecord], now: float) -> Surroundings:
    """Of `records`, where `moved` are the hosts that are not as they were `before`."""
    hosts = [host for host in records.hosts.values() if host.approved]
    if before is None or concerns_others(records, moved, before):
        looked_at = before.looked_at if before else now
        return Surroundings(records, Census.of(hosts), majority(hosts), looked_at)
    are_apart = any(host.unreachable != before.of.hosts[host.id].unreachable for host in moved)
    return replace(before, of=records, majority=majority(hosts) if are_apart else before.majority)


def concerned(here: Surroundings, before: Surroundings | None, moved: list[HostRecord]) -> set[str]:
    """Ids of the hosts that `moved` may matter to: themselves, who has to reach them, and who is called the same."""
    hosts = here.of.hosts
    if before is None or _rules(here) != _rules(before):
        return set(hosts)
    ids = {host.id for host in moved} | ((here.majority ^ before.majority) & hosts.keys())
    names = {name for host in moved for name in _names(host) | _names(before.of.hosts.get(host.id))}
    return ids | {
        key for key, host in hosts.items() if not ids.isdisjoint(host.peers) or not names.isdisjoint(_names(host))
    }


def _rules(here: Surroundings) -> tuple[object, ...] | None:
    """What all hosts are judged by: of the cluster's record no more than this, and of the group only that it is one."""
    cluster = here.of.cluster
    group = min(len(here.majority), SMALLEST_GROUP)
    return (cluster.asked, cluster.status, cluster.ignored_host_validations, group) if cluster else None


def _names(host: HostRecord | None) -> set[str]:
    if host is None:
        return set()
    if host.inventory is None:
        return {host.hostname.lower()}
    return {host.hostname.lower(), host.inventory.machine_id, host.inventory.system_vendor.product_uuid} - {""}
