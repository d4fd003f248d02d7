"""A whole site at once: every host finds its own address by MAC, and node0 knows all of them. Nothing is a stand-in but
systemd: the real NetworkManager on a bus of its own for each host, real agents, the real service and driver."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from agent.api.intent import HostIntent, Role
from agent.api.local import CLUSTER_STATUS_FILE, HOST_FILE, NETWORK_FILE, ClusterStatusFile, HostMatch, NetworkReport
from tests.fakes.intents import NETWORK, host, mac
from tests.fakes.live_site import PROGRAMS, boot_into, make_live_site, wait_for
from tests.fakes.network_host import NetworkHost, network_host, network_switch

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
]

AT_ONCE = 4  # what starts a Python: more at a time than CPUs makes none of them faster


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(5, id="5-hosts"),
        pytest.param(30, id="30-hosts", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    ],
)
def test_every_host_gets_its_address_and_registers(count: int, tmp_path: Path) -> None:
    site = make_live_site(tmp_path, tuple(_host(number) for number in range(1, count + 1)))
    with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        switch = stack.enter_context(network_switch())
        hosts = [stack.enter_context(network_host(switch_pid=switch)) for _ in range(count)]
        files = [boot_into(machine, site) for machine in hosts]
        for number, machine in enumerate(hosts, 1):
            machine.plug_nic(f"enp{number % 7}s0", mac(number))
        assert [run.returncode for run in pool.map(lambda machine: machine.agent("network"), hosts)] == [0] * count
        for machine in hosts:
            stack.enter_context(machine.starting_network_manager())
        for machine in hosts:
            machine.wait_for_networkmanager()
        assert [run.stderr for run in pool.map(_verify, hosts)] == [""] * count
        for number, own in enumerate(files, 1):
            assert (own.load(HOST_FILE, HostMatch) or HostMatch(index=-1, why="")).index == number - 1
            report = own.load(NETWORK_FILE, NetworkReport) or NetworkReport()
            assert f"{NETWORK}.{9 + number}/24" in [address for nic in report.devices for address in nic.addresses]
        for machine in hosts:
            agent = machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS)
            stack.enter_context(agent)
        cluster = wait_for(files[0], ClusterStatusFile, CLUSTER_STATUS_FILE, lambda found: _known(found) == count)
        assert {line.name for line in cluster.hosts} == {f"host{number}" for number in range(1, count + 1)}


def _host(number: int) -> HostIntent:
    return msgspec.structs.replace(host(number), role=Role.MASTER if number == 1 else Role.WORKER)


def _verify(machine: NetworkHost) -> subprocess.CompletedProcess[str]:
    return machine.agent("network-verify")


def _known(cluster: ClusterStatusFile) -> int:
    """Hosts whose checks have run: their inventory is there."""
    return sum(line.status == "insufficient" for line in cluster.hosts)
