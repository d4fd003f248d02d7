"""From power-on to a host that node0 knows, all of it real: NIC, NetworkManager, agent, service, driver; no disks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.machine import Files
from agent.model.host_documents import AgentPhase, AgentStatus, ClusterStatusFile
from agent.model.host_paths import AGENT_TOKEN_FILE, CLUSTER_STATUS_FILE, LIVE_TOKEN_FILE, NODE0_DIRECTORY, STATUS_FILE
from agent.model.network import Ethernet, IpConfig, IpMethod, NetworkModel
from tests.fakes.inputs.intents import host, mac
from tests.fakes.network.network_host import BOTH_ROOTS, NetworkHost, network_host
from tests.fakes.node0.live_site import PROGRAMS, RENDEZVOUS, boot_into, make_live_site, wait_for

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

RSS_LIMIT_KIB = 55 * 1024


@pytest.fixture
def machine(root: Path, tmp_path: Path) -> Iterator[NetworkHost]:
    """The only host of its site, so node0, with its NIC plugged in and its network not yet configured."""
    with network_host(root) as made:
        boot_into(made, make_live_site(tmp_path, (host(1),)))
        made.plug_nic("enp1s0", mac(1))
        yield made


def test_a_host_becomes_node0_and_registers_with_itself(machine: NetworkHost) -> None:
    files = Files(machine.at("/"))
    assert machine.agent("network").returncode == 0
    with (
        machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS) as agent,
        machine.network_manager(),
    ):
        wait_for(
            files, AgentStatus, STATUS_FILE, lambda status: status.phase is AgentPhase.REGISTERED and status.is_node0
        )
        cluster = wait_for(
            files,
            ClusterStatusFile,
            CLUSTER_STATUS_FILE,
            lambda cluster: _statuses(cluster) == {"host1": "insufficient"},
        )
        assert "disk" in cluster.hosts[0].detail
        assert rss_kib(agent) < RSS_LIMIT_KIB
        assert files.read("/etc/hostname") == "host1\n"
        other = machine.add_address_conflict(f"{RENDEZVOUS}/24")
        status = wait_for(files, AgentStatus, STATUS_FILE, lambda status: bool(status.conflicts))
        assert (mac(1) in status.conflicts[0].title, other in status.conflicts[0].title) == (True, True)
        assert leaks(files) == []


def test_node0_by_an_ipv6_address_on_a_network_without_ipv4(root: Path, tmp_path: Path) -> None:
    own = IpConfig(method=IpMethod.MANUAL, addresses=("2001:db8::10/64",))
    only_ipv6 = host(1, NetworkModel(interfaces=(Ethernet(name="eth0", mac=mac(1), ipv6=own),)))
    site = make_live_site(tmp_path, (only_ipv6,), rendezvous="2001:db8::10", network="2001:db8::/64")
    with network_host(root) as machine:
        files = boot_into(machine, site)
        machine.plug_nic("enp1s0", mac(1))
        assert machine.agent("network").returncode == 0
        with (
            machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS),
            machine.network_manager(),
        ):
            wait_for(files, AgentStatus, STATUS_FILE, lambda status: status.phase is AgentPhase.REGISTERED)
            wait_for(files, ClusterStatusFile, CLUSTER_STATUS_FILE, lambda found: "host1" in _statuses(found))


def leaks(files: Files) -> list[str]:
    """What the programs have written, logs among it, that has a secret of the ISO or the host's own token in it."""
    keys = (path for path in files.at(NODE0_DIRECTORY).iterdir() if path.suffix in {".key", ".token"})
    sources = (*keys, files.at(AGENT_TOKEN_FILE), files.at(LIVE_TOKEN_FILE))
    secrets = {word for path in sources for word in path.read_text().split() if len(word) > 30}
    folders = map(files.at, ("/run", "/run/cluster0", "/var/lib/cluster0"))
    written = [path for folder in folders for path in folder.iterdir() if path.is_file() and path not in sources]
    assert len(written) >= 8
    return [str(path) for path in written if any(secret in path.read_text(errors="replace") for secret in secrets)]


def _statuses(cluster: ClusterStatusFile) -> dict[str, str]:
    return {host.name: host.status for host in cluster.hosts}


def rss_kib(pid: int) -> int:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0])
