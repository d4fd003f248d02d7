"""The files of systemd-networkd in the initramfs; `test_fetch_medium.py` boots with some of them."""

from __future__ import annotations

from collections.abc import Callable

from agent.model.network import Bond, Bridge, Dns, Ethernet, IpConfig, IpMethod, NetworkModel, Port, Route, Vlan
from image_build.cluster_iso.initramfs_network import network_files
from inputs.nmstate.network import automatic
from tests.fakes.inputs.intents import host, mac, nic, static_network

Golden = Callable[[str, str], None]

AUTO = IpConfig(method=IpMethod.AUTO)
OFF = IpConfig(method=IpMethod.DISABLED)


def static(address: str) -> IpConfig:
    return IpConfig(method=IpMethod.MANUAL, addresses=(address,))


LAYERED = NetworkModel(
    interfaces=(
        nic("eth0", 3),
        nic("eth1", 4),
        Bond(name="bond0", mode="802.3ad", ports=(Port(name="eth0"), Port(name="eth1")), mtu=9000),
        Vlan(name="bond0.7", parent="bond0", id=7),
        Bridge(name="br0", ports=(Port(name="bond0.7"),), ipv4=static("192.0.2.13/24"), ipv6=static("2001:db8::13/64")),
    ),
    routes=(
        Route(destination="0.0.0.0/0", gateway="192.0.2.1", interface="br0", metric=100),
        Route(destination="198.51.100.0/24", gateway="", interface="br0"),
    ),
    dns=Dns(servers=("192.0.2.53", "2001:db8::53")),
)


def joined(files: dict[str, str]) -> str:
    return "\n".join(f"=== {name}\n{text}" for name, text in sorted(files.items()))


def test_a_static_address_is_configured_in_the_initramfs(golden: Golden) -> None:
    golden("initramfs-network/static", joined(network_files([host(1, static_network(1))])))


def test_a_bridge_on_a_vlan_on_a_bond_is_configured_in_the_initramfs(golden: Golden) -> None:
    golden("initramfs-network/layered", joined(network_files([host(3, LAYERED)])))


def test_each_nic_leads_to_all_files_of_its_host() -> None:
    files = network_files([host(3, LAYERED)])
    first, second = ({name.partition("/")[2]: text for name, text in files.items() if name.startswith(mac(number))}
                     for number in (3, 4))  # fmt: skip
    assert first == second
    assert len(first) == 5 + 3


def test_a_host_without_settings_uses_dhcp() -> None:
    (listed,) = (
        text for name, text in network_files([host(1, automatic(host(1).interfaces))]).items() if "any" not in name
    )
    assert "DHCP=ipv4\nIPv6AcceptRA=yes\n" in listed


def test_dhcp_for_ipv6_alone_is_configured_in_the_initramfs() -> None:
    model = NetworkModel(interfaces=(Ethernet(name="eth0", mac=mac(1), ipv4=OFF, ipv6=IpConfig(method=IpMethod.DHCP)),))
    assert "DHCP=ipv6\nIPv6AcceptRA=no\n" in network_files([host(1, model)])[f"{mac(1)}/10-eth0.network"]


def test_unlisted_hosts_use_dhcp() -> None:
    assert "DHCP=yes" in network_files([])["any/80-dhcp.network"]
