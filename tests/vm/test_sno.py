"""One host, BIOS, from power on to a Ready node that boots from its disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from vm_harness.guest.node import Node
from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab

pytestmark = [pytest.mark.vm, pytest.mark.timeout(5400)]

BOOT_SECONDS = 900
INSTALL_SECONDS = 3000
# What must not change when the host moves from the ISO to its disk, by name → command.
IDENTITY = {
    "machine-id": "cat /etc/machine-id",
    "hostname": "hostname",
    "addresses": "ip -brief -4 address show scope global | grep -v cni0",
    "ssh host key": "cat /etc/ssh/ssh_host_ed25519_key.pub",
}


@dataclass(frozen=True)
class Installed:
    """The installed cluster; `live`: the identity of its host while it ran from the ISO."""

    lab: Lab
    live: dict[str, str]

    @property
    def node(self) -> Node:
        return self.lab.node()


def identity(node: Node) -> dict[str, str]:
    return {name: node.succeed(command) for name, command in IDENTITY.items()}


def install(lab: Lab) -> Installed:
    node = lab.node()
    node.wait_for_ssh(timeout=BOOT_SECONDS)
    live = identity(node)
    end = node.wait_for_console_text(r"reboot: Restarting system|cluster0: node0: failed.*", timeout=INSTALL_SECONDS)
    assert end[0].startswith("reboot"), end[0]
    node.wait_for_reboot()
    assert_installed(lab, timeout=INSTALL_SECONDS)
    return Installed(lab, live)


@pytest.fixture(scope="module")
def cluster(labs: Labs, base_iso: Path) -> Installed:
    installed: Installed = labs.run(install, base_iso=base_iso)
    return installed


def test_a_single_node_runs_from_its_disk(cluster: Installed) -> None:
    assert "cluster0.state=UUID=" in cluster.node.succeed("cat /proc/cmdline")


def test_a_single_node_keeps_its_identity_over_the_reboot_to_its_disk(cluster: Installed) -> None:
    assert identity(cluster.node) == cluster.live


def test_a_single_node_is_ready_by_the_kubeconfig_that_create_image_wrote(cluster: Installed) -> None:
    get_nodes = kubectl.choose(cluster.lab, ["get", "nodes", "-o", "json"])
    answer = cluster.lab.run(get_nodes.argv, timeout=120)
    assert answer.exit_code == 0, answer.stderr
    nodes = json.loads(answer.stdout)["items"]
    ready = {
        node["metadata"]["name"]: condition["status"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if condition["type"] == "Ready"
    }
    assert ready == {"node0": "True"}


def test_every_system_pod_of_a_single_node_becomes_ready(cluster: Installed) -> None:
    wait = ["wait", "--for=condition=Ready", "pod", "--all", "-n", "kube-system", "--timeout=600s"]
    answer = cluster.lab.run(kubectl.choose(cluster.lab, wait).argv, timeout=660)
    assert answer.exit_code == 0, answer.stdout + answer.stderr


def test_a_single_node_has_no_failed_units(cluster: Installed) -> None:
    assert cluster.node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_a_single_node_boots_from_its_disk_without_the_medium(cluster: Installed) -> None:
    cluster.node.eject_medium()
    cluster.node.crash()
    cluster.node.start()
    cluster.node.wait_for_ssh(timeout=BOOT_SECONDS)
    cluster.node.wait_for_unit("kubelet.service", timeout=BOOT_SECONDS)
    cluster.node.wait_until_succeeds(
        "sudo kubectl --kubeconfig /etc/kubernetes/admin.conf wait --for=condition=Ready node --all --timeout=10s",
        timeout=BOOT_SECONDS,
    )
