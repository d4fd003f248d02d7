"""Which hosts a host has to reach: all others that take part, up to a size; beyond it, those that matter most.

Every pair of a thousand hosts would be half a million connections a minute, and as much to keep. Each then reaches
every control-plane host, and its neighbours in the order of ids, so that a cable or switch that is wrong is still seen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import msgspec

from agent.api.checks import Peer, PeerNic
from node0.store.host_diff import HostDiffs
from node0.store.records import HostRecord

ALL_PAIRS_UP_TO = 64
NEIGHBOURS = 8

API, ETCD_CLIENT, ETCD_PEER, KUBELET = 6443, 2379, 2380, 10250


class Ring:
    """The hosts that take part, in the order of ids, and which of them lead."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._leaders: set[str] = set()

    def assign(self, hosts: Mapping[str, HostRecord], moved: HostDiffs) -> dict[str, HostRecord]:
        """The hosts that have other `peers` now, with them set. `moved`: since this was done last."""
        concerned = {
            other
            for key, move in moved.items()
            if move.changes(_part)
            for other in self._moved(key, move.new is not None and takes_part(move.new), _leads(move.new))
        }
        found = (hosts[key] for key in concerned if key in hosts and hosts[key].status.is_before_install)
        return {
            host.id: msgspec.structs.replace(host, peers=peers)
            for host in found
            if (peers := self._of(host)) != host.peers
        }

    def _moved(self, id: str, is_in: bool, leads: bool) -> set[str]:
        """Ids of the hosts whose peers are others when host `id` takes part or does not, as a leader or not."""
        before = (len(self._ids), id in self._leaders)
        place = bisect_left(self._ids, id)
        was_in = self._ids[place : place + 1] == [id]
        if is_in and not was_in:
            self._ids.insert(place, id)
        if was_in and not is_in:
            del self._ids[place]
        (self._leaders.add if is_in and leads else self._leaders.discard)(id)
        after = (len(self._ids), id in self._leaders)
        if before == after:
            return {id}
        if min(before[0], after[0]) <= ALL_PAIRS_UP_TO or before[1] != after[1]:
            return {id, *self._ids}
        return {id, *self._around(place - NEIGHBOURS)}

    def _of(self, host: HostRecord) -> tuple[str, ...]:
        """Ids of its peers, in order."""
        own = host.id
        if not takes_part(host):
            return ()
        if len(self._ids) <= ALL_PAIRS_UP_TO:
            return tuple(other for other in self._ids if other != own)
        near = self._around(bisect_left(self._ids, own) + 1)
        return tuple(sorted({*self._leaders, *near} - {own}))

    def _around(self, place: int) -> list[str]:
        """The neighbours from `place` on."""
        return [self._ids[step % len(self._ids)] for step in range(place, place + NEIGHBOURS)]


def takes_part(host: HostRecord) -> bool:
    """Whether others have to reach it, and it them."""
    return host.approved and host.inventory is not None


def _leads(host: HostRecord | None) -> bool:
    return host is not None and host.is_control_plane


def _part(host: HostRecord) -> tuple[object, ...]:
    """What of a host gives peers to others and itself. Its peers are others by themselves where a change was lost."""
    return (takes_part(host), host.is_control_plane, host.status.is_before_install, host.peers)


def described(peer: HostRecord) -> Peer:
    """`peer` as the connectivity check wants it."""
    assert peer.inventory is not None
    nics = tuple(
        PeerNic(name=nic.name, mac=nic.mac_address, ip_addresses=tuple(map(_bare, addresses)))
        for nic in peer.inventory.interfaces
        if (addresses := nic.ipv4_addresses + nic.ipv6_addresses)
    )
    leads = (API, ETCD_CLIENT, ETCD_PEER) if peer.is_control_plane else ()
    return Peer(host_id=peer.id, nics=nics, tcp_ports=(*leads, KUBELET))


def _bare(cidr: str) -> str:
    return cidr.partition("/")[0]
