"""node0 is where the rendezvous address is: leases of a real dnsmasq, the real NetworkManager, agents and service."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent.machine import Files
from agent.machine.inotify import replacements
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile
from agent.model.host_paths import CLUSTER_STATUS_FILE, STATUS_FILE
from tests.fakes.inputs.intents import NETWORK, host_by_dhcp, mac
from tests.fakes.network.network_host import NetworkHost, network_host, network_switch
from tests.fakes.node0.live_site import NODE0_PIDS, PROGRAMS, RENDEZVOUS, boot_into, make_live_site, wait_for

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    pytest.mark.timeout(600),  # two NetworkManagers, agents and node0s; every look and every wait is theirs
]

NIC = "enp1s0"
LEASES = {1: RENDEZVOUS, 2: f"{NETWORK}.102"}
LEASES_MOVED = {1: f"{NETWORK}.101", 2: RENDEZVOUS}


@dataclass(frozen=True)
class Booted:
    """Host `number` of the site, its agent running and its NetworkManager asking for a lease."""

    number: int
    machine: NetworkHost
    files: Files

    def until(self, is_right: Callable[[AgentStatus], bool]) -> AgentStatus:
        return wait_for(self.files, AgentStatus, STATUS_FILE, is_right)

    def ask_for_a_lease(self) -> None:
        """And give back what another server, or the same with another mind, has given before."""
        asked = self.machine.run("nmcli", "connection", "up", "eth0")
        assert asked.returncode == 0, asked.stderr

    def until_it_knows(self, *names: str) -> None:
        """From its own service, as node0: all its hosts have sent their inventory."""
        wait_for(self.files, ClusterStatusFile, CLUSTER_STATUS_FILE, lambda found: _inspected(found) == {*names})

    def until_node0_has_ended(self) -> None:
        """Remove what it reported: the next host here has to report it again."""
        for _ in replacements(self.machine.at("/run")):
            if not any(self.machine.at(path).exists() for path in NODE0_PIDS):
                break
        self.files.at(CLUSTER_STATUS_FILE).unlink(missing_ok=True)

    def isolate(self, switched: str) -> None:
        """`on`: other hosts that are isolated cannot reach this one; the switch itself can."""
        port = f"p{self.machine.pid}-{NIC}"
        argv = ("bridge", "link", "set", "dev", port, "isolated", switched)
        subprocess.run(_in_network_of(self.machine.switch_pid, *argv), check=True)


@dataclass(frozen=True)
class Site:
    switch: int
    directory: Path
    host1: Booted
    host2: Booted

    @contextmanager
    def dhcp(self, leases: Mapping[int, str] = LEASES) -> Iterator[None]:
        """While the block runs, dnsmasq on the switch gives each host its lease."""
        argv = [
            "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--port=0", "--user=root",
            "--interface=switch", "--log-facility=-", "--dhcp-authoritative", "--leasefile-ro",
            f"--dhcp-range={NETWORK}.0,static",
            *(f"--dhcp-host={mac(number)},{address}" for number, address in leases.items()),
        ]  # fmt: skip
        with (
            (self.directory / "dnsmasq.log").open("wb") as log,
            subprocess.Popen(_in_network_of(self.switch, *argv), stdout=log, stderr=log) as dnsmasq,
        ):
            try:
                yield
            finally:
                dnsmasq.terminate()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Two hosts with DHCP, their cables plugged in; no DHCP server answers yet."""
    root = make_live_site(tmp_path, (host_by_dhcp(1), host_by_dhcp(2)))
    with ExitStack() as stack:
        switch = stack.enter_context(network_switch())
        subprocess.run(_in_network_of(switch, "ip", "address", "add", f"{NETWORK}.1/24", "dev", "switch"), check=True)
        booted = [stack.enter_context(_booted(number, root, switch)) for number in (1, 2)]
        yield Site(switch, tmp_path, *booted)


@contextmanager
def _booted(number: int, root: Path, switch: int) -> Iterator[Booted]:
    with network_host(switch_pid=switch) as machine:
        files = boot_into(machine, root)
        machine.plug_nic(NIC, mac(number))
        assert machine.agent("network").returncode == 0
        with (
            machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS),
            machine.network_manager(),
        ):
            yield Booted(number, machine, files)


def test_a_late_cable_and_a_late_lease_are_waited_for(site: Site) -> None:
    site.host1.machine.unplug_cable(NIC)
    for booted in (site.host1, site.host2):
        waiting = booted.until(lambda status: "No answer" in status.detail)
        assert waiting.phase is AgentPhase.WAITING_FOR_NODE0
        assert waiting.node0 == f"host1 ({mac(1)}) or host2 ({mac(2)}), by DHCP"
    with site.dhcp():
        site.host2.until(lambda status: status.addresses == (LEASES[2],))
        site.host1.machine.plug_cable_in(NIC)
        site.host1.until(lambda status: status.is_node0 and status.phase is AgentPhase.REGISTERED)
        assert not site.host2.until(lambda status: status.phase is AgentPhase.REGISTERED).is_node0


def test_a_host_that_loses_the_address_for_a_moment_leads_again(site: Site) -> None:
    with site.dhcp():
        site.host1.until(lambda status: status.is_node0)
        site.host2.until(lambda status: status.phase is AgentPhase.REGISTERED)
        site.host1.machine.unplug_cable(NIC)
        site.host1.until(lambda status: not status.is_node0)
        site.host1.machine.plug_cable_in(NIC)
        site.host1.until(lambda status: status.is_node0 and status.phase is AgentPhase.REGISTERED)


@pytest.mark.parametrize(
    "order", [pytest.param((1, 2), id="moves"), pytest.param((1, 2, 1), id="and-back", marks=pytest.mark.slow)]
)
def test_node0_moves_with_its_address(site: Site, order: tuple[int, ...]) -> None:
    """The new node0 knows no host: both hosts register with it, and the old node0's programs end."""
    for number in order:
        leader, other = (site.host1, site.host2) if number == 1 else (site.host2, site.host1)
        with site.dhcp(LEASES if number == 1 else LEASES_MOVED):
            for booted in (other, leader):  # who has the address gives it back first
                booted.ask_for_a_lease()
            leader.until(lambda status: status.is_node0)
            leader.until_it_knows("host1", "host2")
            other.until(lambda status: status.phase is AgentPhase.REGISTERED and not status.is_node0)
        other.until_node0_has_ended()


def test_two_hosts_with_the_rendezvous_address_both_report_the_conflict(site: Site) -> None:
    """Both are node0 to themselves, and neither asks the other anything."""
    for booted in (site.host1, site.host2):
        booted.isolate("on")
        assert booted.machine.run("ip", "address", "add", f"{RENDEZVOUS}/24", "dev", NIC).returncode == 0
        booted.until(lambda status: status.is_node0)
    for booted in (site.host1, site.host2):
        booted.isolate("off")
    for booted, other in ((site.host1, 2), (site.host2, 1)):
        (conflict,) = booted.until(lambda status: bool(status.conflicts)).conflicts
        assert f"({mac(booted.number)}) is also that of {mac(other)} (host{other})" in conflict.title


def _inspected(cluster: ClusterStatusFile) -> set[str]:
    return {host.name for host in cluster.hosts if host.status == "insufficient"}


def _in_network_of(pid: int, *argv: str) -> list[str]:
    return ["nsenter", f"--target={pid}", "--net", "--", *argv]
