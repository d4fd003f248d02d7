"""What a host is judged by beside itself, and which hosts have to be judged again after a change.

With a thousand hosts, most changes are of one host and concern a dozen. So this is kept from change to change, and only
what moved is looked at. `tests/unit/node0/reconcile/test_incremental.py` shows that a full evaluation gives the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from agent.api.checks import ConnectivityReport
from node0.reconcile import roles
from node0.reconcile.peers import Ring
from node0.store.host_diff import HostDiff, HostDiffs, any_changes
from node0.store.records import ClusterRecord, HostRecord, Records
from node0.validations.engine.facts import Census
from node0.validations.host.peers.belongs_to_majority_group import SMALLEST_GROUP
from node0.validations.host.peers.majority import majority


class Surroundings:
    """Of the records `of`.

    cluster: as it was left when it was looked at last; None: it has to be looked at whatever moved.
    silent: ids of the hosts that were silent when that was looked at, at `looked_at` by the monotonic clock.
    """

    def __init__(self) -> None:
        self.of = Records()
        self.cluster: ClusterRecord | None = None
        self.census = Census()
        self.majority: frozenset[str] = frozenset()
        self.silent: frozenset[str] = frozenset()
        self.looked_at = -math.inf
        self._ring = Ring()
        self._watchers: defaultdict[str, set[str]] = defaultdict(set)

    def follow(self, records: Records, moved: HostDiffs) -> Records:
        """Go from `of` to `records`, of which the hosts `moved` are others; gives them with roles and peers assigned.

        Whoever is another by that is added to `moved`.
        """
        anew = _asked(records) != _asked(self.of)
        records = self._with(records, moved, roles.assign(records, moved, anew=anew))
        self.of = self._with(records, moved, self._ring.assign(records.hosts, moved))
        return self.of

    def _with(self, records: Records, moved: HostDiffs, assigned: dict[str, HostRecord]) -> Records:
        moved.update({key: HostDiff(self.of.hosts.get(key), host) for key, host in assigned.items()})
        return msgspec.structs.replace(records, hosts={**records.hosts, **assigned}) if assigned else records

    def concerned(self, before: Records, moved: HostDiffs) -> set[str]:
        """Ids of the hosts beside those that `moved` to which that matters: who has to reach them, and who is called
        the same."""
        group = self.majority
        found = {other for key, move in moved.items() for other in self._concerned(key, move)}
        if any_changes(moved.values(), _apart):
            self.majority = majority([host for host in self.of.hosts.values() if host.approved])
        if _rules(before) != _rules(self.of) or _size(group) != _size(self.majority):
            return set(self.of.hosts)
        return found | (group ^ self.majority)

    def _concerned(self, id: str, move: HostDiff) -> Iterable[str]:
        yield from self.census.move(move.old, move.new)
        old_peers, new_peers = (set(host.peers) if host else set() for host in move)
        for peer in old_peers - new_peers:
            self._watchers[peer].discard(id)
        for peer in new_peers - old_peers:
            self._watchers[peer].add(id)
        if move.changes(_shown):
            yield from self._watchers[id]
        elif move.old is not None and move.new is not None:
            yield from self._told_anew(move.old, move.new)

    def _told_anew(self, old: HostRecord, new: HostRecord) -> Iterable[str]:
        """The hosts of which this one tells another story than before."""
        yield from set(old.unreachable) ^ set(new.unreachable)
        if old.connectivity is not new.connectivity:
            strangers = self._strangers(old.connectivity) ^ self._strangers(new.connectivity)
            yield from (id for id, _, _ in strangers)

    def _strangers(self, report: ConnectivityReport | None) -> set[tuple[str, str, str]]:
        """Host, address and MAC, where a machine answers for the host's address that is not the host."""
        found = set()
        for remote in report.remote_hosts if report else ():
            host = self.of.hosts.get(remote.host_id)
            own = {nic.mac_address.lower() for nic in host.inventory.interfaces} if host and host.inventory else set()
            answers = ((answer.remote_ip_address, answer.remote_mac.lower()) for answer in remote.l2_connectivity)
            found |= {(remote.host_id, address, mac) for address, mac in answers if mac and mac not in own}
        return found


def _shown(host: HostRecord) -> tuple[object, ...]:
    """What every host that has to reach it sees of it."""
    return (host.label, host.is_control_plane)


def _apart(host: HostRecord) -> object:
    """What groups are made of."""
    return host.unreachable if host.approved else None


def _asked(records: Records) -> tuple[object, ...]:
    """What beside the hosts themselves gives them roles."""
    return (records.infra_env, records.cluster.asked if records.cluster else None)


def _rules(records: Records) -> tuple[object, ...] | None:
    """What all hosts are judged by: of the cluster's record no more than this."""
    cluster = records.cluster
    return (cluster.asked, cluster.status, cluster.ignored_host_validations) if cluster else None


def _size(group: frozenset[str]) -> int:
    """Of the largest group, it only matters whether it is one."""
    return min(len(group), SMALLEST_GROUP)
