"""A whole site at once, in namespaces. Nothing is a stand-in but systemd: the real NetworkManager on a bus of its own
for each host, real agents, the real service and driver."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from agent.machine import Files
from agent.model.host_documents import ClusterStatusFile
from agent.model.host_paths import CLUSTER_STATUS_FILE
from agent.model.intent import HostIntent, Role
from tests.fakes.inputs.intents import host, mac
from tests.fakes.network.network_host import NetworkHost, network_host, network_switch
from tests.fakes.node0.live_site import PROGRAMS, boot_into, make_live_site, wait_for

AT_ONCE = 4  # what starts a Python: more at a time than CPUs makes none of them faster


@contextmanager
def powered_on(directory: Path, count: int) -> Iterator[list[Files]]:
    """`count` hosts from an ISO whose files are made below `directory`, each on the network and with its agent running;
    gives their files. Needs root."""
    site = make_live_site(directory, tuple(_host(number) for number in range(1, count + 1)))
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
        for machine in hosts:
            agent = machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS)
            stack.enter_context(agent)
        yield files


def all_registered(files: list[Files]) -> ClusterStatusFile:
    """What node0 knows as soon as it has every host's inventory."""
    return wait_for(files[0], ClusterStatusFile, CLUSTER_STATUS_FILE, lambda found: _known(found) == len(files))


def _host(number: int) -> HostIntent:
    return msgspec.structs.replace(host(number), role=Role.MASTER if number == 1 else Role.WORKER)


def _verify(machine: NetworkHost) -> subprocess.CompletedProcess[str]:
    return machine.agent("network-verify")


def _known(cluster: ClusterStatusFile) -> int:
    """Hosts whose checks have run: their inventory is there."""
    return sum(line.status == "insufficient" for line in cluster.hosts)
