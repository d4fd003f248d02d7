"""Three hosts from one ISO, static addresses, no DHCP, one of them on a VLAN over a bond: three Ready control planes
behind a virtual address, whose pods reach each other."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.vm.bonds import assert_traffic_on_either_port
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other, items
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# Three machines on two emulated cores take most of an hour, so only `make e2e-slow` runs this.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(10800)]

INSTALL_SECONDS = 9000
NAMES = {"node0", "node1", "node2"}
ON_VLAN = "node2"
VIP = "192.168.126.5"


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    return labs.run(
        partial(assert_installed, timeout=INSTALL_SECONDS), topology=TOPOLOGIES["compact"], base_iso=base_iso
    )


def test_each_of_three_hosts_is_a_ready_control_plane(lab: Lab) -> None:
    nodes = items(lab, "nodes", "--selector=node-role.kubernetes.io/master")
    ready = {
        node["metadata"]["name"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }
    assert ready == NAMES


def test_etcd_has_a_ready_member_on_each_of_three_control_planes(lab: Lab) -> None:
    members = items(lab, "pods", "--namespace=kube-system", "--selector=component=etcd")
    assert {pod["spec"]["nodeName"] for pod in members} == NAMES
    assert all(status["ready"] for pod in members for status in pod["status"]["containerStatuses"])


def test_each_of_three_hosts_runs_from_its_disk_without_failed_units(lab: Lab) -> None:
    for node in lab.nodes:
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_the_kubeconfig_points_to_the_virtual_address_which_exactly_one_host_has(lab: Lab) -> None:
    kubeconfig = yaml.safe_load((lab.directories.inputs / "auth/kubeconfig").read_text())
    assert kubeconfig["clusters"][0]["cluster"]["server"] == f"https://{VIP}:6443"
    holders = [node.name for node in lab.nodes if f" {VIP}/32 " in node.succeed("ip -oneline -4 address")]
    assert len(holders) == 1


def test_a_control_plane_on_a_vlan_over_a_bond_is_reached_through_either_nic(lab: Lab) -> None:
    assert_traffic_on_either_port(lab, lab.node(ON_VLAN))


def test_pods_on_three_hosts_reach_each_other_and_a_service(lab: Lab, tmp_path: Path) -> None:
    assert_pods_reach_each_other(lab, tmp_path)
