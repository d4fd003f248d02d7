"""Rendering keyfiles; the golden files are NetworkManager's input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.model.network import Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Route
from agent.model.problems import Problem
from agent.network import keyfiles
from agent.network.connections import connections
from tests.fakes.inputs.intents import CLUSTER_ID, mac, nic, static_network

Golden = Callable[[str, str], None]

DUAL_STACK = NetworkModel(
    interfaces=(
        Ethernet(
            name="eth0",
            mac=mac(1),
            ipv4=IpConfig(method=IpMethod.MANUAL, addresses=("192.0.2.10/24", "192.0.2.11/24")),
            ipv6=IpConfig(method=IpMethod.MANUAL, addresses=("2001:db8::10/64",)),
            mtu=9000,
        ),
        Ethernet(
            name="eth1",
            mac=mac(2),
            ipv4=IpConfig(method=IpMethod.AUTO),
            ipv6=IpConfig(method=IpMethod.DISABLED),
        ),
    ),
    routes=(
        Route(destination="0.0.0.0/0", gateway="192.0.2.1", interface="eth0", metric=50),
        Route(destination="::/0", gateway="2001:db8::1", interface="eth0"),
        Route(destination="198.51.100.0/24", gateway="192.0.2.2", interface="eth0", metric=10, table=200),
        Route(destination="203.0.113.0/24", gateway="", interface="eth0", metric=20),
    ),
    dns=Dns(servers=("192.0.2.1", "2001:db8::1"), search=("example.com", "example.org")),
)


def render(model: NetworkModel, *, hostname: str = "host1") -> dict[str, str]:
    return keyfiles.render(connections(model, cluster_id=CLUSTER_ID, hostname=hostname, names={}))


@pytest.mark.parametrize(("name", "model"), [("static", static_network(1)), ("dual-stack", DUAL_STACK)])
def test_keyfiles_of_a_network_are_golden(name: str, model: NetworkModel, golden: Golden) -> None:
    for file, content in render(model).items():
        golden(f"keyfiles/{name}/{file}", content)


def test_the_keyfile_of_the_dhcp_fallback_is_golden(golden: Golden) -> None:
    golden("keyfiles/dhcp/cluster0-dhcp.nmconnection", keyfiles.DHCP_EVERYWHERE)


def test_keyfiles_are_reproducible_and_differ_between_hosts() -> None:
    first = render(DUAL_STACK)
    assert first == render(DUAL_STACK)
    other = render(DUAL_STACK, hostname="host2")
    assert all(first[name] != other[name] for name in first)


def test_dns_servers_without_an_interface_of_their_family_are_refused() -> None:
    model = NetworkModel(interfaces=(nic("eth0", 1, "192.0.2.10/24"),), dns=Dns(servers=("2001:db8::1",)))
    with pytest.raises(Problem, match="no interface of this host has IPv6") as caught:
        render(model)
    assert caught.value.code == "dns-unreachable"
