"""Interning makes equal texts one object and changes nothing else."""

from __future__ import annotations

import msgspec

from agent.api.checks import ConnectivityReport, Peer, PeerNic
from agent.model.inventory import Inventory
from node0.store.interning import interned
from replay.answers import good_report
from replay.recorded import machines


def test_two_hosts_of_one_model_share_equal_texts_and_lists() -> None:
    machine = msgspec.json.encode(machines()["bridged-vm"].inventory)
    first, second = (interned(msgspec.json.decode(machine, type=Inventory)) for _ in range(2))
    assert len(first.cpu.flags) > 1
    assert first.cpu.flags is second.cpu.flags
    assert first.disks[0].by_path is second.disks[0].by_path


def test_the_value_stays_equal() -> None:
    for record in machines().values():
        assert interned(msgspec.json.decode(msgspec.json.encode(record.inventory), type=Inventory)) == record.inventory


def test_interning_keeps_the_nic_name_of_a_report_once() -> None:
    nics = (PeerNic(name="eth0", mac="52:54:00:00:00:01", ip_addresses=("192.0.2.1", "192.0.2.2")),)
    report = good_report([Peer(host_id=id, nics=nics) for id in ("a", "b")])
    found = interned(msgspec.json.decode(msgspec.json.encode(report), type=ConnectivityReport))
    assert found == report
    assert len({id(echo.outgoing_nic) for remote in found.remote_hosts for echo in remote.l3_connectivity}) == 1
