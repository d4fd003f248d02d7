"""Every topology, from power-on to installed, and then used: pods, Services, etcd, the API's address, second boots.

The hosts are containers, so that this runs on every submission.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.lab.clusters import (
    etcd_members,
    holder_of,
    ready_nodes,
    url_host,
    wait_until_ready,
)
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other, kubectl_output
from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import MachineKind

pytestmark = [pytest.mark.containers, pytest.mark.timeout(2400)]

INSTALL_SECONDS = 1800
"""Many times what an install takes: the computer may be busy."""
ONE_CONTROL_PLANE = ("sno", "sno6", "dual")
HIGHLY_AVAILABLE = [pytest.param(name, marks=pytest.mark.highly_available) for name in ("compact", "ha", "ha5")]


@dataclass(frozen=True)
class Cluster:
    topology: Topology
    lab: Lab

    @property
    def control_planes(self) -> list[str]:
        return [node.name for node in self.lab.nodes[: self.topology.masters]]

    @property
    def names(self) -> list[str]:
        return [node.name for node in self.lab.nodes]


@pytest.fixture(scope="module", params=[*ONE_CONTROL_PLANE, *HIGHLY_AVAILABLE])
def cluster(request: pytest.FixtureRequest, labs: Labs, base_iso: Path) -> Iterator[Cluster]:
    """Each topology's cluster, installed when its first test begins and removed after its last one."""
    topology, started = TOPOLOGIES[request.param], time.monotonic()
    work = partial(assert_installed, timeout=INSTALL_SECONDS)
    lab = labs.run(work, topology.name, topology=topology, machines=MachineKind.CONTAINER, base_iso=base_iso)
    print(f"{topology.name}: installed {time.monotonic() - started:.0f} s after `lab up` began")  # noqa: T201
    yield Cluster(topology, lab)
    labs.take_down(lab)


def test_each_host_is_a_ready_node_in_its_role(cluster: Cluster) -> None:
    assert ready_nodes(cluster.lab) == {name: name in cluster.control_planes for name in cluster.names}


def test_each_host_runs_from_its_disk_without_failed_units(cluster: Cluster) -> None:
    for node in cluster.lab.nodes:
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_etcd_has_a_voting_member_on_each_control_plane(cluster: Cluster) -> None:
    assert etcd_members(cluster.lab) == dict.fromkeys(cluster.control_planes, True)


def test_pods_of_all_hosts_reach_each_other_and_a_service(cluster: Cluster, tmp_path: Path) -> None:
    assert_pods_reach_each_other(cluster.lab, tmp_path)


def test_the_api_answers_at_its_address_also_without_the_host_that_had_it(cluster: Cluster) -> None:
    lab, topology = cluster.lab, cluster.topology
    kubeconfig = yaml.safe_load((lab.directories.inputs / "auth/kubeconfig").read_text())
    if topology.api_vip is None:
        expected = lab.node().address
    else:
        expected = str(topology.gateway.network[topology.api_vip])
        lost = holder_of(lab, expected)
        lost.crash()
        rest = [node for node in lab.nodes if node is not lost]
        rest[0].wait_until_succeeds(f"ping -c 1 -W 2 {expected}")
        assert kubectl_output(lab, "get", "nodes", "--output=name").count("node/") == len(cluster.names)
        lost.start()
        wait_until_ready(lab)
    assert kubeconfig["clusters"][0]["cluster"]["server"] == f"https://{url_host(expected)}:6443"


def test_a_cluster_whose_hosts_all_lose_their_power_comes_back(cluster: Cluster, tmp_path: Path) -> None:
    for node in cluster.lab.nodes:
        node.crash()
    for node in cluster.lab.nodes:
        node.start()
    wait_until_ready(cluster.lab)
    assert_pods_reach_each_other(cluster.lab, tmp_path)
