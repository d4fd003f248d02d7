"""Three hosts from one ISO, static addresses, no DHCP, one of them on a VLAN over a bond: three Ready control planes
behind a virtual address, whose pods reach each other."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.vm.bonds import see_traffic_on_either_port
from tests.vm.installed import see_installed
from tests.vm.pods import fetch, items, start_echo
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# Three machines on two emulated cores take most of an hour: `make e2e-slow` runs this.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(10800)]

INSTALL = 9000
NAMES = {"node0", "node1", "node2"}
ON_VLAN = "node2"
VIP = "192.168.126.5"


@pytest.fixture(scope="module")
def lab(labs: Any, base_iso: Path) -> Lab:
    installed: Lab = labs.run(
        partial(see_installed, timeout=INSTALL), topology=TOPOLOGIES["compact"], base_iso=base_iso
    )
    return installed


def test_every_host_is_a_ready_control_plane(lab: Lab) -> None:
    nodes = items(lab, "nodes", "--selector=node-role.kubernetes.io/master")
    ready = {
        node["metadata"]["name"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }
    assert ready == NAMES


def test_etcd_has_a_member_on_each(lab: Lab) -> None:
    members = items(lab, "pods", "--namespace=kube-system", "--selector=component=etcd")
    assert {pod["spec"]["nodeName"] for pod in members} == NAMES
    assert all(status["ready"] for pod in members for status in pod["status"]["containerStatuses"])


def test_every_host_runs_from_its_disk_and_nothing_failed(lab: Lab) -> None:
    for node in lab.nodes:
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_the_kubeconfig_made_before_boot_goes_to_the_virtual_address_which_one_host_has(lab: Lab) -> None:
    kubeconfig = yaml.safe_load((lab.directories.inputs / "auth/kubeconfig").read_text())
    assert kubeconfig["clusters"][0]["cluster"]["server"] == f"https://{VIP}:6443"
    holders = [node.name for node in lab.nodes if f" {VIP}/32 " in node.succeed("ip -oneline -4 address")]
    assert len(holders) == 1


def test_the_host_on_the_vlan_has_its_address_there_and_is_reached_through_either_nic(lab: Lab) -> None:
    see_traffic_on_either_port(lab, lab.node(ON_VLAN))


def test_pods_on_different_hosts_reach_each_other_and_a_service(lab: Lab, tmp_path: Path) -> None:
    pods, service = start_echo(lab, tmp_path)
    assert len(pods) == len(NAMES)
    for pod, own in pods.items():
        fetch(lab, pod, [*(address for address in pods.values() if address != own), service])
