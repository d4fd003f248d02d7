"""One host, BIOS, from power on to a Ready node that boots from its disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.vm.installed import see_installed
from vm_harness.guest.node import Node
from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab

pytestmark = [pytest.mark.vm, pytest.mark.timeout(5400)]

BOOT = 900
INSTALL = 3000
# What must not change when the root changes from RAM to disk: who the host is, how it is reached, what it runs.
IDENTITY = {
    "machine-id": "cat /etc/machine-id",
    "hostname": "hostname",
    "addresses": "ip -brief -4 address show scope global | grep -v cni0",
    "ssh host key": "cat /etc/ssh/ssh_host_ed25519_key.pub",
}


@dataclass(frozen=True)
class Installed:
    """The installed cluster, and who its host was while it was installed."""

    lab: Lab
    live: dict[str, str]

    @property
    def node(self) -> Node:
        return self.lab.node()


def identity(node: Node) -> dict[str, str]:
    return {name: node.succeed(command) for name, command in IDENTITY.items()}


def install(lab: Lab) -> Installed:
    node = lab.node()
    node.wait_for_ssh(timeout=BOOT)
    live = identity(node)
    end = node.wait_for_console_text(r"reboot: Restarting system|cluster0: node0: failed.*", timeout=INSTALL)
    assert end[0].startswith("reboot"), end[0]
    node.wait_for_reboot()
    see_installed(lab, timeout=INSTALL)
    return Installed(lab, live)


@pytest.fixture(scope="module")
def cluster(labs: Any, base_iso: Path) -> Installed:
    installed: Installed = labs.run(install, base_iso=base_iso)
    return installed


def test_the_host_runs_from_its_disk(cluster: Installed) -> None:
    assert "cluster0.state=UUID=" in cluster.node.succeed("cat /proc/cmdline")


def test_it_is_the_same_host_as_before_the_reboot(cluster: Installed) -> None:
    assert identity(cluster.node) == cluster.live


def test_the_node_is_ready_for_the_kubeconfig_made_before_boot(cluster: Installed) -> None:
    ask = kubectl.choose(cluster.lab, ["get", "nodes", "-o", "json"])
    answer = cluster.lab.run(ask.argv, timeout=120)
    assert answer.exit_code == 0, answer.stderr
    nodes = json.loads(answer.stdout)["items"]
    ready = {
        node["metadata"]["name"]: condition["status"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if condition["type"] == "Ready"
    }
    assert ready == {"node0": "True"}


def test_every_pod_of_the_system_becomes_ready(cluster: Installed) -> None:
    wait = ["wait", "--for=condition=Ready", "pod", "--all", "-n", "kube-system", "--timeout=600s"]
    answer = cluster.lab.run(kubectl.choose(cluster.lab, wait).argv, timeout=660)
    assert answer.exit_code == 0, answer.stdout + answer.stderr


def test_no_unit_has_failed(cluster: Installed) -> None:
    assert cluster.node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_it_boots_from_disk_when_the_medium_is_gone(cluster: Installed) -> None:
    cluster.node.eject_medium()
    cluster.node.crash()
    cluster.node.start()
    cluster.node.wait_for_ssh(timeout=BOOT)
    cluster.node.wait_for_unit("kubelet.service", timeout=BOOT)
    cluster.node.wait_until_succeeds(
        "sudo kubectl --kubeconfig /etc/kubernetes/admin.conf wait --for=condition=Ready node --all --timeout=10s",
        timeout=BOOT,
    )
