"""Which hosts a host has to reach: all others that take part, up to a size; beyond it, those that matter most.

Every pair of a thousand hosts would be half a million connections a minute, and as much to keep. Each then reaches
every control-plane host, and its neighbours in the order of ids, so that a cable or switch that is wrong is still seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agent.api.checks import Peer, PeerNic
from node0.store.records import HostRecord

ALL_PAIRS_UP_TO = 64
NEIGHBOURS = 8

API, ETCD_CLIENT, ETCD_PEER, KUBELET = 6443, 2379, 2380, 10250


def assign(hosts: dict[str, HostRecord]) -> dict[str, HostRecord]:
    """The hosts with `peers` set; records that do not change are the same objects."""
    taking_part = [host for host in hosts.values() if host.approved and host.inventory is not None]
    peers = _of_each(taking_part)
    return {key: _with_peers(host, peers.get(key, ())) for key, host in hosts.items()}


def _with_peers(host: HostRecord, peers: tuple[str, ...]) -> HostRecord:
    if host.peers == peers or not host.status.is_before_install:
        return host
    return msgspec.structs.replace(host, peers=peers)


def _of_each(hosts: Sequence[HostRecord]) -> dict[str, tuple[str, ...]]:
    """Host id → ids of its peers, in order."""
    ring = sorted(host.id for host in hosts)
    if len(ring) <= ALL_PAIRS_UP_TO:
        return {own: tuple(other for other in ring if other != own) for own in ring}
    leaders = [host.id for host in hosts if host.is_control_plane]
    found = {}
    for place, own in enumerate(ring):
        near = [ring[(place + step) % len(ring)] for step in range(1, NEIGHBOURS + 1)]
        found[own] = tuple(sorted({*leaders, *near} - {own}))
    return found


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
