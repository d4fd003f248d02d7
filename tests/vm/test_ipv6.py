"""A single node on an IPv6-only link: node0, API, pods and services have IPv6 addresses only."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from pathlib import Path

import pytest
import yaml

from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other, items, kubectl_output
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# An install of its own, so only `make e2e-slow` runs it.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(5400)]

INSTALL_SECONDS = 4500
TOPOLOGY = TOPOLOGIES["sno6"]


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    return labs.run(partial(assert_installed, timeout=INSTALL_SECONDS), topology=TOPOLOGY, base_iso=base_iso)


def test_an_ipv6_node_is_ready_at_the_address_of_the_kubeconfig(lab: Lab) -> None:
    kubeconfig = yaml.safe_load((lab.directories.inputs / "auth/kubeconfig").read_text())
    assert kubeconfig["clusters"][0]["cluster"]["server"] == f"https://[{lab.node().address}]:6443"
    (node,) = items(lab, "nodes")
    ready = [each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready"]
    addresses = [each["address"] for each in node["status"]["addresses"] if each["type"] == "InternalIP"]
    assert (ready, addresses) == (["True"], [lab.node().address])


def test_an_installed_ipv6_host_has_no_ipv4_addresses(lab: Lab) -> None:
    node = lab.node()
    assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
    assert node.succeed("ip -4 -brief address show scope global") == ""
    assert f"{node.address}/64" in node.succeed("ip -6 -brief address show scope global")
    assert node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_every_system_pod_of_an_ipv6_node_becomes_ready(lab: Lab) -> None:
    kubectl_output(
        lab, "wait", "--for=condition=Ready", "pod", "--all", "-n", "kube-system", "--timeout=600s", timeout=660
    )


def test_a_pod_reaches_itself_and_a_service(lab: Lab, tmp_path: Path) -> None:
    addresses = assert_pods_reach_each_other(lab, tmp_path)
    assert {ip_address(address).version for address in addresses} == {6}
