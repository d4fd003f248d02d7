"""The other hosts of a record: they take part, and the machine reports how it reaches them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import msgspec

from agent.api.checks import ConnectivityReport
from agent.api.hosts import HostRegister, HostUpdate
from agent.api.steps import StepReply, StepType
from agent.model.inventory import Interface, Inventory
from agent.record.machine import MachineRecord
from agent.record.peers import RecordedPeer
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.reconcile.transaction import Change
from replay.judge.basis import Basis
from replay.judge.in_memory import replied


class Peers:
    """Those of `record`, without the one that the machine itself stands for."""

    def __init__(self, record: MachineRecord, basis: Basis) -> None:
        self._record = record
        self._infra_env_id = basis.intent.infra_env_id
        own = basis.host.hostname if basis.host else ""
        self._peers = {self._id(peer): peer for peer in record.peers if peer.peer.host_id != own}

    def registrations(self) -> Iterator[Change]:
        """Each registers, reports its addresses, and takes part."""
        for id, peer in self._peers.items():
            inventory = msgspec.json.encode(_inventory(peer)).decode()
            reply = StepReply(step_type=StepType.INVENTORY, step_id="", output=inventory)
            yield register_host(self._infra_env_id, HostRegister(host_id=id), token_id="")
            yield replied(self._infra_env_id, id, reply)
            yield update_host(self._infra_env_id, id, HostUpdate(host_role=peer.role, approved=True))

    def report(self) -> StepReply | None:
        """The machine's result of the connectivity check; None: it was not measured."""
        if self._record.connectivity is None:
            return None
        ids = {peer.peer.host_id: id for id, peer in self._peers.items()}
        seen = tuple(
            msgspec.structs.replace(remote, host_id=ids[remote.host_id])
            for remote in self._record.connectivity.remote_hosts
            if remote.host_id in ids
        )
        output = msgspec.json.encode(ConnectivityReport(remote_hosts=seen)).decode()
        return StepReply(step_type=StepType.CONNECTIVITY_CHECK, step_id="", output=output)

    def _id(self, peer: RecordedPeer) -> str:
        """Hosts have UUIDs; in a record they have names."""
        return str(uuid.uuid5(uuid.UUID(self._infra_env_id), peer.peer.host_id))


def _inventory(peer: RecordedPeer) -> Inventory:
    nics = tuple(
        Interface(
            name=nic.name,
            mac_address=nic.mac,
            ipv4_addresses=tuple(address for address in nic.ip_addresses if ":" not in address),
            ipv6_addresses=tuple(address for address in nic.ip_addresses if ":" in address),
        )
        for nic in peer.peer.nics
    )
    return Inventory(hostname=peer.peer.host_id, interfaces=nics)
