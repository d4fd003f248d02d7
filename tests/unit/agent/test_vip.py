"""keepalived's configuration for the API's virtual IP: its interface and its peers."""

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


def test_only_a_vip_other_than_the_hosts_address_is_carried() -> None:
    assert has_vip(cluster())
    assert not has_vip(intent(host(1)))


def test_the_vip_lives_on_the_interface_in_the_machine_network() -> None:
    assert find_place(cluster(), OWN) == PLACE


def test_an_interface_that_has_only_the_vip_does_not_carry_it() -> None:
    assert find_place(cluster(), (Address("enp1s0", "192.168.122.250/32"),)) is None


def test_keepalived_speaks_to_other_control_planes_by_unicast() -> None:
    text = render(cluster(), PLACE, "host1")
    assert "unicast_src_ip 192.168.122.10\n    unicast_peer {\n        192.168.122.11\n    }\n" in text
    assert "192.168.122.12" not in text  # a worker
    assert "virtual_router_id 250" in text
    assert "192.168.122.250/32" in text


def test_keepalived_reaches_dhcp_control_planes_by_multicast() -> None:
    by_dhcp = msgspec.structs.replace(host(2), network=NetworkModel())
    text = render(msgspec.structs.replace(cluster(), hosts=(host(1), by_dhcp)), PLACE, "host1")
    assert "unicast" not in text


async def test_keepalived_is_configured_once_an_interface_can_carry_the_vip(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, hostname="host1")
    with pytest.raises(Problem) as caught:
        await configure(machine, cluster())
    assert caught.value.code == "vip-not-on-link"
    assert isinstance(machine.netlink, ScriptedNetlink)
    machine.netlink.set_addresses(*OWN)
    await configure(machine, cluster())
    assert "interface enp1s0" in machine.files.read(CONFIG_FILE)


async def test_without_a_vip_keepalived_is_not_configured(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    await configure(machine, intent())
    assert not machine.files.at(CONFIG_FILE).exists()
