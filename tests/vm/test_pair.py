"""A control plane, and a worker on a VLAN over a bond, from one ISO with static addresses. The worker's power is cut
while its disk is written: it starts over without help, joins, and pods on both hosts reach each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm.bonds import assert_traffic_on_either_port
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other, items
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# Two machines, one of which starts over, take a quarter of an hour, so only `make e2e-slow` runs this.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(5400)]

BOOT_SECONDS = 900
INSTALL_SECONDS = 3600
WORKER = "node1"
WRITING = rf"cluster0: {WORKER}: installing: Writing image to disk [1-9]"


def install_through_a_power_cut_of_the_worker(lab: Lab) -> Lab:
    node = lab.node(WORKER)
    node.wait_for_console_text(WRITING, timeout=BOOT_SECONDS)
    node.crash()
    node.start()
    node.wait_for_console_text(WRITING, timeout=BOOT_SECONDS)
    return assert_installed(lab, timeout=INSTALL_SECONDS)


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    return labs.run(install_through_a_power_cut_of_the_worker, topology=TOPOLOGIES["pair"], base_iso=base_iso)


def test_control_plane_and_worker_are_ready_in_their_roles(lab: Lab) -> None:
    nodes = items(lab, "nodes")
    ready = {
        node["metadata"]["name"]: "node-role.kubernetes.io/worker" in node["metadata"]["labels"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }
    assert ready == {"node0": False, WORKER: True}


def test_control_plane_and_worker_run_from_their_disks_without_failed_units(lab: Lab) -> None:
    for node in lab.nodes:
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_a_worker_on_a_vlan_over_a_bond_is_reached_through_either_nic(lab: Lab) -> None:
    assert_traffic_on_either_port(lab, lab.node(WORKER))


def test_pods_on_control_plane_and_worker_reach_each_other_and_a_service(lab: Lab, tmp_path: Path) -> None:
    assert_pods_reach_each_other(lab, tmp_path)
