"""Keeps facts from one evaluation to the next, so that a change leads to evaluations only of the hosts it affects.

Of a thousand hosts, a change usually changes one and affects a dozen others.
`tests/unit/node0/reconcile/test_incremental.py` shows that the full evaluation gives the same records.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from agent.api.checks import ConnectivityReport
from node0.reconcile.evaluate import CommonFacts
from node0.reconcile.peers import Ring, assign_peers
from node0.reconcile.roles import assign_roles
from node0.state_machine.host import CLUSTER_BEFORE
from node0.store.host_diff import HostDiff, HostDiffs, any_changes
from node0.store.records import ClusterRecord, HostRecord, Records
from node0.validations.engine.identities import IdentityIndex
from node0.validations.host.peers.belongs_to_majority_group import SMALLEST_GROUP, majority_group


class EvaluationCache:
    """The result of the last evaluation, and facts about all hosts for the next one.

    records, common: the records that it returned, and the facts about their hosts.
    cluster: the record that the last evaluation of the cluster returned; None: evaluate it again in any case.
    unresponsive: ids of the hosts that were unresponsive at `limits_checked_at`, by the monotonic clock.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Make the next evaluation a full one."""
        self.records = Records()
        self.common = CommonFacts(IdentityIndex(), frozenset())
        self.cluster: ClusterRecord | None = None
        self.unresponsive: frozenset[str] = frozenset()
        self.limits_checked_at = -math.inf
        self._ring = Ring()
        self._reached_by: defaultdict[str, set[str]] = defaultdict(set)

    def update(self, records: Records, diffs: HostDiffs) -> Records:
        """Replace the cached records by `records`, with roles and peers assigned; returns them.

        `diffs`: the changed hosts. This adds the hosts whose role or peers it changes.
        """
        changed = diffs if _role_inputs(records) == _role_inputs(self.records) else None
        records = self._with(records, assign_roles(records, changed), diffs)
        affected = self._ring.update(diffs)
        self.records = self._with(records, assign_peers(records.hosts, self._ring, affected), diffs)
        return self.records

    def _with(self, records: Records, assigned: dict[str, HostRecord], diffs: HostDiffs) -> Records:
        diffs.update({id: HostDiff(self.records.hosts.get(id), host) for id, host in assigned.items()})
        return records.with_hosts(assigned)

    def affected_hosts(self, before: Records, diffs: HostDiffs) -> set[str]:
        """Ids of the hosts, besides those in `diffs`, whose evaluation may change.

        `before`, `diffs`: the records before the last `update`, and the changed hosts that it returned.
        """
        group = self.common.majority
        affected = {other for id, diff in diffs.items() for other in self._affected_by(id, diff)}
        if any_changes(diffs.values(), _group_inputs):
            approved = [host for host in self.records.hosts.values() if host.approved]
            self.common.majority = majority_group(approved)
        new_group = self.common.majority
        if _cluster_inputs(before) != _cluster_inputs(self.records) or _size(group) != _size(new_group):
            return set(self.records.hosts)
        return affected | (group ^ new_group)

    def _affected_by(self, id: str, diff: HostDiff) -> Iterable[str]:
        """Ids of the hosts that share an identity with this one, have it as peer, or are reported differently by it."""
        yield from self.common.identities.update(diff.old, diff.new)
        old_peers, new_peers = (set(host.peers) if host else set() for host in diff)
        for peer in old_peers - new_peers:
            self._reached_by[peer].discard(id)
        for peer in new_peers - old_peers:
            self._reached_by[peer].add(id)
        if diff.changes(_seen_by_peers):
            yield from self._reached_by[id]
        elif diff.old is not None and diff.new is not None:
            yield from self._reported_differently(diff.old, diff.new)

    def _reported_differently(self, old: HostRecord, new: HostRecord) -> Iterable[str]:
        yield from set(old.unreachable) ^ set(new.unreachable)
        if old.connectivity is not new.connectivity:
            collisions = self._address_collisions(old.connectivity) ^ self._address_collisions(new.connectivity)
            yield from (id for id, _, _ in collisions)

    def _address_collisions(self, report: ConnectivityReport | None) -> set[tuple[str, str, str]]:
        """(host id, address, MAC) for each of a host's addresses for which another machine, with this MAC, answers."""
        found = set()
        for remote in report.remote_hosts if report else ():
            host = self.records.hosts.get(remote.host_id)
            own = {nic.mac_address.lower() for nic in host.inventory.interfaces} if host and host.inventory else set()
            answers = ((answer.remote_ip_address, answer.remote_mac.lower()) for answer in remote.l2_connectivity)
            found |= {(remote.host_id, address, mac) for address, mac in answers if mac and mac not in own}
        return found


def _seen_by_peers(host: HostRecord) -> tuple[object, ...]:
    """The parts of a peer's record that the validations of a host use."""
    return (host.label, host.is_control_plane)


def _group_inputs(host: HostRecord) -> object:
    """The parts of a host's record that decide about the largest group."""
    return host.unreachable if host.approved else None


def _role_inputs(records: Records) -> tuple[object, ...]:
    """What roles depend on besides the hosts."""
    return (records.infra_env, records.cluster.spec if records.cluster else None)


def _cluster_inputs(records: Records) -> tuple[object, ...] | None:
    """The parts of the cluster's record that the evaluation of every host uses."""
    cluster = records.cluster
    if cluster is None:
        return None
    status = None if cluster.status in CLUSTER_BEFORE else cluster.status
    return (cluster.spec, status, cluster.ignored_host_validations)


def _size(group: frozenset[str]) -> int:
    """The group's size up to `SMALLEST_GROUP`: the evaluation of every host uses only whether it is that large."""
    return min(len(group), SMALLEST_GROUP)
