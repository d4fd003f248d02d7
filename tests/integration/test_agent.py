"""From power-on to a host that node0 knows, all of it real: NIC, NetworkManager, agent, service, driver; no disks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from agent.api.local import (
    CA_FILE,
    CLUSTER_STATUS_FILE,
    INTENT_FILE,
    NODE0_DIRECTORY,
    STATUS_FILE,
    AgentStatus,
    ClusterStatusFile,
    Phase,
)
from agent.machine import Files
from agent.machine.inotify import replacements
from tests.fakes.intents import NETWORK, host, mac
from tests.fakes.network_host import BOTH_ROOTS, NetworkHost, network_host
from tests.fakes.site import make_site
from tests.fakes.tls import make_loopback_tls

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

Document = TypeVar("Document")

RENDEZVOUS = f"{NETWORK}.10"
PROGRAMS = "/run/programs"
RSS_LIMIT_KIB = 55 * 1024

# Stands for systemd: node0's target is its service and its driver.
SYSTEMCTL = """#!/bin/sh
[ "$*" = "start --no-block cluster0-node0.target" ] || exit 1
for program in serve create-cluster; do
    setsid {python} -m node0 $program </dev/null >/run/node0-$program.log 2>&1 &
done
"""


@pytest.fixture
def machine(root: Path, tmp_path: Path) -> Iterator[NetworkHost]:
    """The only host of its site, so node0, with its NIC plugged in and its network not yet configured."""
    with network_host(root) as made:
        files = Files(made.at("/"))
        site = make_site(files.root, hosts=(host(1),))
        intent = msgspec.structs.replace(site.intent, rendezvous_ip=RENDEZVOUS, api_address=RENDEZVOUS)
        tls = make_loopback_tls(tmp_path, RENDEZVOUS)
        files.write(INTENT_FILE, msgspec.json.encode(intent))
        files.write(CA_FILE, tls.ca.read_text())
        files.write(f"{NODE0_DIRECTORY}/tls.crt", tls.certificate.read_text())
        files.write(f"{NODE0_DIRECTORY}/tls.key", tls.key.read_text(), mode=0o600)
        files.write(f"{PROGRAMS}/systemctl", SYSTEMCTL.format(python=made.python), mode=0o755)
        made.plug_nic("enp1s0", mac(1))
        yield made


def test_a_host_becomes_node0_and_registers_with_itself(machine: NetworkHost) -> None:
    files = Files(machine.at("/"))
    assert machine.agent("network").returncode == 0
    with (
        machine.daemon(machine.python, "-m", "agent", "run", log="/run/agent.log", path=PROGRAMS) as agent,
        machine.network_manager(),
    ):
        wait_for(files, AgentStatus, STATUS_FILE, lambda status: status.phase is Phase.REGISTERED and status.is_node0)
        cluster = wait_for(
            files,
            ClusterStatusFile,
            CLUSTER_STATUS_FILE,
            lambda cluster: _statuses(cluster) == {"host1": "insufficient"},
        )
        assert "disk" in cluster.hosts[0].detail
        assert rss_kib(agent) < RSS_LIMIT_KIB
        assert files.read("/etc/hostname") == "host1\n"


def wait_for(files: Files, kind: type[Document], path: str, is_right: Callable[[Document], bool]) -> Document:
    for _ in replacements(files.at(path).parent):
        document = files.load(path, kind)
        if document is not None and is_right(document):
            return document
    raise AssertionError("replacements() never ends")


def _statuses(cluster: ClusterStatusFile) -> dict[str, str]:
    return {host.name: host.status for host in cluster.hosts}


def rss_kib(pid: int) -> int:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0])
