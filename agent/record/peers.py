"""The other hosts of the inputs, and what they look like from this machine."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

import msgspec

from agent.api.checks import ConnectivityReport, Peer, PeerNic
from agent.checks.connectivity import connectivity
from agent.machine import Machine
from agent.model.endpoints import ports_between_hosts
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE
from agent.model.intent import ClusterIntent, HostIntent, Role
from agent.model.problems import Problem

# As many as node0 lets each host of a small cluster check.
MOST = 64


class RecordedPeer(msgspec.Struct, frozen=True, kw_only=True):
    """Another host of the inputs. `peer`: as node0 describes hosts to each other, except that its name is its id."""

    role: Role
    peer: Peer


def recorded_peers(machine: Machine) -> tuple[RecordedPeer, ...]:
    """The hosts of the inputs that have a static address, without this one, control planes first; at most `MOST`.

    Only node0 knows the addresses that hosts have by DHCP.
    """
    try:
        intent = machine.files.load(INTENT_FILE, ClusterIntent)
        match = machine.files.load(HOST_FILE, HostMatch)
    except Problem:
        return ()
    hosts = intent.hosts if intent else ()
    others = [_recorded(host) for index, host in enumerate(hosts) if match is None or index != match.index]
    known = (other for other in others if any(nic.ip_addresses for nic in other.peer.nics))
    return tuple(sorted(known, key=lambda other: other.role is not Role.MASTER)[:MOST])


async def connectivity_to(machine: Machine, peers: tuple[RecordedPeer, ...]) -> ConnectivityReport | None:
    """None where there is no peer, or without the right to send raw packets."""
    if not peers:
        return None
    try:
        return await connectivity(machine, [known.peer for known in peers])
    except OSError:
        return None


def _recorded(host: HostIntent) -> RecordedPeer:
    ports = ports_between_hosts(is_control_plane=host.role is Role.MASTER)
    return RecordedPeer(role=host.role, peer=Peer(host_id=host.hostname, nics=tuple(_nics(host)), tcp_ports=ports))


def _nics(host: HostIntent) -> Iterator[PeerNic]:
    """A bond, bridge or VLAN answers with the MAC of one of the host's NICs: the check compares with all of them."""
    addresses = tuple(str(ip_interface(address).ip) for address in host.network.static_addresses)
    for number, nic in enumerate(host.interfaces):
        yield PeerNic(name=nic.name, mac=nic.mac, ip_addresses=addresses if number == 0 else ())
