"""Which hosts a host has to reach: up to a number, all others that take part; beyond it, those that matter most.

Every pair of a thousand hosts would be half a million connections a minute, and as much to keep. Each then reaches
every control-plane host, and its neighbours in the order of ids, so that a faulty cable or switch is still seen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

import msgspec

from agent.api.checks import Peer, PeerNic
from agent.model.endpoints import ports_between_hosts
from node0.store.host_diff import HostDiffs, diff_hosts
from node0.store.records import HostRecord

ALL_PAIRS_UP_TO = 64
NEIGHBOURS = 8

# Of one host, by each of its peers: a host with more would keep all others busy.
PROBED_ADDRESSES = 32


class Ring:
    """The hosts that take part, in the order of their ids, and which of them are control-plane hosts."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._control_plane: set[str] = set()

    @classmethod
    def of(cls, hosts: Mapping[str, HostRecord]) -> Ring:
        ring = cls()
        ring.update(diff_hosts({}, hosts))
        return ring

    def update(self, diffs: HostDiffs) -> set[str]:
        """Follow a change of hosts; returns the ids of those whose peers may differ now."""
        return {other for id, diff in diffs.items() if diff.changes(_ring_inputs) for other in self._put(id, diff.new)}

    def _put(self, id: str, host: HostRecord | None) -> set[str]:
        takes_part_now = host is not None and takes_part(host)
        place = bisect_left(self._ids, id)
        took_part = self._ids[place : place + 1] == [id]
        before = (len(self._ids), id in self._control_plane)
        if takes_part_now and not took_part:
            self._ids.insert(place, id)
        if took_part and not takes_part_now:
            del self._ids[place]
        is_control_plane = takes_part_now and host is not None and host.is_control_plane
        (self._control_plane.add if is_control_plane else self._control_plane.discard)(id)
        after = (len(self._ids), is_control_plane)
        if before == after:
            return {id}
        if min(before[0], after[0]) <= ALL_PAIRS_UP_TO or before[1] != after[1]:
            return {id, *self._ids}
        return {id, *self._around(place - NEIGHBOURS)}

    def peers_of(self, host: HostRecord) -> tuple[str, ...]:
        """Ids, in order."""
        own = host.id
        if not takes_part(host):
            return ()
        if len(self._ids) <= ALL_PAIRS_UP_TO:
            return tuple(other for other in self._ids if other != own)
        near = self._around(bisect_left(self._ids, own) + 1)
        return tuple(sorted({*self._control_plane, *near} - {own}))

    def _around(self, place: int) -> list[str]:
        """The neighbours from `place` on."""
        return [self._ids[step % len(self._ids)] for step in range(place, place + NEIGHBOURS)]


def assign_peers(hosts: Mapping[str, HostRecord], ring: Ring, ids: Iterable[str]) -> dict[str, HostRecord]:
    """The hosts among `ids` whose `peers` differ from those in `ring`, by id, with the new `peers`."""
    found = (hosts[id] for id in ids if id in hosts and hosts[id].status.is_before_install)
    return {
        host.id: msgspec.structs.replace(host, peers=peers)
        for host in found
        if (peers := ring.peers_of(host)) != host.peers
    }


def takes_part(host: HostRecord) -> bool:
    """Whether the host is a peer: others must reach it, and it must reach them."""
    return host.approved and host.inventory is not None


def _ring_inputs(host: HostRecord) -> tuple[object, ...]:
    """What of a host decides about the peers of others and its own. Where a change was lost, `peers` alone differ."""
    return (takes_part(host), host.is_control_plane, host.status.is_before_install, host.peers)


def described(peer: HostRecord) -> Peer:
    """`peer`, which takes part, as the connectivity check needs it: at most `PROBED_ADDRESSES`, of its first NICs."""
    assert peer.inventory is not None
    left = PROBED_ADDRESSES
    nics = []
    for nic in peer.inventory.interfaces:
        addresses = (nic.ipv4_addresses + nic.ipv6_addresses)[:left]
        left -= len(addresses)
        if addresses:
            nics.append(
                PeerNic(name=nic.name, mac=nic.mac_address, ip_addresses=tuple(map(_without_prefix, addresses)))
            )
    ports = ports_between_hosts(is_control_plane=peer.is_control_plane)
    return Peer(host_id=peer.id, nics=tuple(nics), tcp_ports=ports)


def _without_prefix(cidr: str) -> str:
    return cidr.partition("/")[0]
