"""The host that a live host expects as node0, and the addresses that a console shows."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from agent.machine import Address
from agent.model.intent import HostIntent
from agent.service.rendezvous import expected_node0, of_machine
from tests.fakes.inputs.intents import host, host_by_dhcp, intent, mac


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ((host(2), host(1), host_by_dhcp(3)), f"host1 ({mac(1)})"),
        ((host(2), host_by_dhcp(1)), f"host1 ({mac(1)}), by DHCP"),
        ((host_by_dhcp(1), host_by_dhcp(2)), f"host1 ({mac(1)}) or host2 ({mac(2)}), by DHCP"),
        (
            tuple(host_by_dhcp(number) for number in range(1, 6)),
            f"host1 ({mac(1)}) or host2 ({mac(2)}) or host3 ({mac(3)}) or one of 2 more, by DHCP",
        ),
        ((host(2),), "the host that gets this address by DHCP"),
    ],
)
def test_the_awaited_node0_is_named_by_host_and_address(hosts: tuple[HostIntent, ...], expected: str) -> None:
    assert expected_node0(intent(*hosts)) == expected


def test_the_awaited_node0_is_named_by_an_ipv6_address() -> None:
    """DHCP for IPv4 does not make a host a candidate."""
    assert (
        expected_node0(intent(host_by_dhcp(1), rendezvous_ip="2001:db8::1"))
        == "the host that gets this address by DHCP"
    )


def test_the_addresses_of_pods_and_services_are_not_the_machines() -> None:
    site = intent(host(1))
    (pods,), (services,) = site.cluster_networks, site.service_networks
    bridge, service = (str(next(ip_network(cidr).hosts())) for cidr in (pods.cidr, services))
    found = [Address("enp1s0", "192.0.2.7/24"), Address("enp1s0", "2001:db8::7/64")]
    found += [Address("cni0", f"{bridge}/{pods.host_prefix}"), Address("kube-ipvs0", f"{service}/32")]
    assert of_machine(found, site) == ("192.0.2.7", "2001:db8::7")
