"""The connectivity check with real packets, between hosts of their own network namespaces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, FreeAddresses, Peer, PeerNic, RemoteHost, VipCheck
from tests.fakes.network.network_host import NetworkHost, network_host

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")]

HERE, THERE, ABSENT = "192.0.2.1", "192.0.2.2", "192.0.2.77"
HERE_V6, THERE_V6, ABSENT_V6 = "2001:db8::1", "2001:db8::2", "2001:db8::77"
PORTS = (6443, 2379)

ASK = """
import asyncio, sys
import msgspec
from agent.api.checks import Peer
from agent.checks.connectivity import connectivity
from agent.machine import Machine

peers = msgspec.json.decode(sys.argv[1], type=list[Peer])
print(msgspec.json.encode(asyncio.run(connectivity(Machine(), peers))).decode())
"""

SWEEP = f"""
import asyncio
import msgspec
from agent.api.checks import VipCheck
from agent.checks.free_addresses import free_addresses, verify_vips
from agent.machine import Machine

async def both():
    addresses = ["{THERE}", "{ABSENT}", "{HERE}", "198.51.100.1", "{THERE_V6}", "{ABSENT_V6}", "{HERE_V6}", "fd00::1"]
    vips = [VipCheck(vip=address, vip_type="api") for address in addresses]
    networks = ["192.0.2.0/24", "198.51.100.0/24"]
    return await asyncio.gather(free_addresses(Machine(), networks), verify_vips(Machine(), vips))

print(msgspec.json.encode(asyncio.run(both())).decode())
"""


@contextmanager
def two_hosts(*faults: str) -> Iterator[tuple[NetworkHost, NetworkHost]]:
    with network_host() as here, network_host() as there, here.faulty_cable_to(there, *faults):
        for host, v4, v6 in ((here, HERE, HERE_V6), (there, THERE, THERE_V6)):
            host.run("ip", "address", "add", f"{v4}/24", "dev", "eth0")
            host.run("ip", "address", "add", f"{v6}/64", "dev", "eth0", "nodad")
        yield here, there


def mac_of(host: NetworkHost, nic: str = "eth0") -> str:
    return host.run("cat", f"/sys/class/net/{nic}/address").stdout.strip()


def seen_by(host: NetworkHost, *peers: Peer) -> tuple[RemoteHost, ...]:
    asked = host.run(host.python, "-c", ASK, msgspec.json.encode(peers).decode())
    assert asked.returncode == 0, asked.stderr
    return msgspec.json.decode(asked.stdout, type=ConnectivityReport).remote_hosts


def peer(*addresses: str, mac: str, ports: tuple[int, ...] = PORTS) -> Peer:
    return Peer(host_id="there", nics=(PeerNic(name="eth0", mac=mac, ip_addresses=addresses),), tcp_ports=ports)


def test_connectivity_reports_a_good_cable_and_missing_addresses() -> None:
    with two_hosts() as (here, there):
        mac = mac_of(there)
        there.run("ip", "link", "add", "link", "eth0", "name", "twin", "type", "macvlan", "mode", "bridge")
        there.run("ip", "link", "set", "twin", "up")
        there.run("ip", "address", "add", f"{THERE}/24", "dev", "twin")
        absent = Peer(host_id="absent", nics=(PeerNic(name="eth0", mac=mac, ip_addresses=(ABSENT, ABSENT_V6)),))
        found, missing = seen_by(here, peer(THERE, THERE_V6, mac=mac), absent)
        answers = {(seen.remote_ip_address, seen.remote_mac): seen.successful for seen in found.l2_connectivity}
        swept = here.run(here.python, "-c", SWEEP)

    assert answers[THERE, mac]
    assert answers[THERE_V6, mac]
    twins = [seen.remote_mac for seen in found.l2_connectivity if seen.remote_ip_address == THERE]
    assert len(twins) == 2, "both machines that claim the address answer"
    assert [echo.packet_loss_percentage for echo in found.l3_connectivity] == [0, 0]
    assert all(0 < echo.average_rtt_ms < 100 for echo in found.l3_connectivity)
    assert [report.mtu_successful for report in found.mtu_report] == [True, True]
    assert {report.successful for report in found.tcp_connectivity} == {True}, "refused, so it got through"

    assert not any(seen.successful for seen in missing.l2_connectivity)
    assert not any(echo.successful for echo in missing.l3_connectivity)
    assert {echo.packet_loss_percentage for echo in missing.l3_connectivity} == {100}

    networks, vips = msgspec.json.decode(swept.stdout, type=tuple[tuple[FreeAddresses, ...], tuple[VipCheck, ...]])
    assert len(networks[0].free_addresses) == 252
    assert not {HERE, THERE} & set(networks[0].free_addresses)
    assert networks[1].free_addresses == (), "no host is in that network"
    assert [vip.verification for vip in vips] == ["failed", "succeeded", "failed", "unverified"] * 2


def test_connectivity_reports_loss_latency_and_mtu_of_a_bad_cable() -> None:
    """20 ms each way, one reply of five lost, nothing above 1400 bytes, and etcd's port filtered."""
    with two_hosts("--delay=20", "--lose=5", "--largest=1400", "--closed=2379") as (here, there):
        (found,) = seen_by(here, peer(THERE, mac=mac_of(there)))
    (echo,) = found.l3_connectivity
    assert echo.successful
    assert echo.average_rtt_ms >= 40
    assert echo.packet_loss_percentage == 20
    assert [report.mtu_successful for report in found.mtu_report] == [False]
    assert {report.port: report.successful for report in found.tcp_connectivity} == {6443: True, 2379: False}
