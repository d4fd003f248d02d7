"""Which other hosts a record looks for."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE
from agent.model.intent import HostIntent, Role
from agent.record.peers import MOST, recorded_peers
from tests.fakes.agent.machine import machine_in
from tests.fakes.inputs.intents import NETWORK, host, host_by_dhcp, intent, mac


def peers(directory: Path, *hosts: HostIntent, own: int = -1) -> list[tuple[str, Role]]:
    machine = machine_in(directory)
    machine.files.save(INTENT_FILE, intent(*hosts))
    machine.files.save(HOST_FILE, HostMatch(index=own, why=""))
    return [(found.peer.host_id, found.role) for found in recorded_peers(machine)]


def worker(number: int) -> HostIntent:
    return msgspec.structs.replace(host(number), role=Role.WORKER)


def test_the_other_hosts_of_the_inputs_control_planes_first(tmp_path: Path) -> None:
    found = peers(tmp_path, worker(1), host(2), host(3), own=1)
    assert found == [("host3", Role.MASTER), ("host1", Role.WORKER)]


def test_a_host_with_addresses_by_dhcp_cannot_be_looked_for(tmp_path: Path) -> None:
    assert peers(tmp_path, host(1), host_by_dhcp(2), own=0) == []


def test_a_machine_that_is_no_host_of_the_inputs_looks_for_all(tmp_path: Path) -> None:
    assert [name for name, _ in peers(tmp_path, host(1), host(2))] == ["host1", "host2"]


def test_of_many_hosts_some_are_looked_for(tmp_path: Path) -> None:
    found = peers(tmp_path, *(worker(number) for number in range(1, 101)), host(101))
    assert len(found) == MOST
    assert found[0] == ("host101", Role.MASTER)


def test_a_peer_has_its_macs_addresses_and_ports(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    machine.files.save(INTENT_FILE, intent(host(1)))
    (found,) = recorded_peers(machine)
    assert [(nic.mac, nic.ip_addresses) for nic in found.peer.nics] == [(mac(1), (f"{NETWORK}.10",))]
    assert found.peer.tcp_ports == (6443, 2379, 2380, 10250)


def test_without_inputs_there_is_no_other_host(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    assert recorded_peers(machine) == ()
    machine.files.write(INTENT_FILE, "{")
    assert recorded_peers(machine) == ()
