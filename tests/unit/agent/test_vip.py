"""Where keepalived holds the API's virtual IP, and with which peers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from agent.machine import Address
from agent.model.intent import ClusterIntent, Platform, Role
from agent.model.network import NetworkModel
from agent.model.problems import Problem
from agent.vip import CONFIG_FILE, Place, configure, find_place, has_vip, render
from tests.fakes.agent.machine import ScriptedNetlink, machine_in
from tests.fakes.inputs.intents import host, intent

OWN = (Address("enp2s0", "10.0.0.2/8"), Address("enp1s0", "192.168.122.10/24"))
PLACE = Place("enp1s0", "192.168.122.10")


def cluster(vip: str = "192.168.122.250") -> ClusterIntent:
    hosts = (host(1), host(2), msgspec.structs.replace(host(3), role=Role.WORKER))
    return msgspec.structs.replace(intent(*hosts), platform=Platform.BAREMETAL, api_address=vip)


def test_only_an_address_of_its_own_is_carried() -> None:
    assert has_vip(cluster())
    assert not has_vip(intent(host(1)))


def test_it_lives_where_the_machine_network_is() -> None:
    assert find_place(cluster(), OWN) == PLACE


def test_the_virtual_address_itself_is_no_place_for_it() -> None:
    assert find_place(cluster(), (Address("enp1s0", "192.168.122.250/32"),)) is None


def test_the_other_control_planes_are_spoken_to_by_address() -> None:
    text = render(cluster(), PLACE, "host1")
    assert "unicast_src_ip 192.168.122.10\n    unicast_peer {\n        192.168.122.11\n    }\n" in text
    assert "192.168.122.12" not in text  # a worker
    assert "virtual_router_id 250" in text
    assert "192.168.122.250/32" in text


def test_a_control_plane_without_a_static_address_is_reached_by_multicast() -> None:
    by_dhcp = msgspec.structs.replace(host(2), network=NetworkModel())
    text = render(msgspec.structs.replace(cluster(), hosts=(host(1), by_dhcp)), PLACE, "host1")
    assert "unicast" not in text


async def test_the_file_is_written_once_there_is_a_place(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, hostname="host1")
    with pytest.raises(Problem) as caught:
        await configure(machine, cluster())
    assert caught.value.code == "vip-not-on-link"
    assert isinstance(machine.netlink, ScriptedNetlink)
    machine.netlink.set_addresses(*OWN)
    await configure(machine, cluster())
    assert "interface enp1s0" in machine.files.read(CONFIG_FILE)


async def test_without_a_virtual_address_nothing_is_written(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    await configure(machine, intent())
    assert not machine.files.at(CONFIG_FILE).exists()
