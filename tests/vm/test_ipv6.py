"""A single node on a link that knows IPv6 only: node0, API, pods and services have no other addresses."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.vm.installed import see_installed
from tests.vm.pods import ask, fetch, items, start_echo
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# An install of its own: `make e2e-slow` runs it.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(5400)]

INSTALL = 4500
TOPOLOGY = TOPOLOGIES["sno6"]


@pytest.fixture(scope="module")
def lab(labs: Any, base_iso: Path) -> Lab:
    installed: Lab = labs.run(partial(see_installed, timeout=INSTALL), topology=TOPOLOGY, base_iso=base_iso)
    return installed


def test_the_node_is_ready_for_a_kubeconfig_with_an_ipv6_address(lab: Lab) -> None:
    kubeconfig = yaml.safe_load((lab.directories.inputs / "auth/kubeconfig").read_text())
    assert kubeconfig["clusters"][0]["cluster"]["server"] == f"https://[{lab.node().address}]:6443"
    (node,) = items(lab, "nodes")
    ready = [each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready"]
    addresses = [each["address"] for each in node["status"]["addresses"] if each["type"] == "InternalIP"]
    assert (ready, addresses) == (["True"], [lab.node().address])


def test_the_installed_host_has_no_other_addresses(lab: Lab) -> None:
    node = lab.node()
    assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
    assert node.succeed("ip -4 -brief address show scope global") == ""
    assert f"{node.address}/64" in node.succeed("ip -6 -brief address show scope global")
    assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_every_pod_of_the_system_becomes_ready(lab: Lab) -> None:
    ask(lab, "wait", "--for=condition=Ready", "pod", "--all", "-n", "kube-system", "--timeout=600s", timeout=660)


def test_a_pod_reaches_itself_and_a_service(lab: Lab, tmp_path: Path) -> None:
    pods, service = start_echo(lab, tmp_path)
    for pod, own in pods.items():
        assert {ip_address(own).version, ip_address(service).version} == {6}
        fetch(lab, pod, [own, service])
