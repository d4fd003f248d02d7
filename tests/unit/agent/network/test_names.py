"""The address of the host itself: static, in a machine network if it has one there."""

from __future__ import annotations

from agent.model.network import NetworkModel
from agent.network.names import own_address
from tests.fakes.inputs.intents import NETWORK, host, intent, nic


def test_a_node_is_reached_first_by_its_address_in_a_machine_network() -> None:
    storage, cluster = nic("eth0", 1, "198.51.100.10/24"), nic("eth1", 2, f"{NETWORK}.10/24")
    both = host(1, NetworkModel(interfaces=(storage, cluster)))
    assert own_address(intent(both), both) == f"{NETWORK}.10"


def test_a_node_is_reached_by_any_static_address_otherwise() -> None:
    storage = host(1, NetworkModel(interfaces=(nic("eth0", 1, "198.51.100.10/24"),)))
    assert own_address(intent(storage), storage) == "198.51.100.10"
    assert own_address(intent(), host(1, NetworkModel(interfaces=(nic("eth0", 1),)))) == ""
