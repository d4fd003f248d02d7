"""Three hosts from one ISO, static addresses, no DHCP: three Ready control planes whose pods reach each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from vm_harness import kubectl
from vm_harness.lab import Lab
from vm_harness.topologies import TOPOLOGIES

# Three machines on two emulated cores take an hour and more: `make e2e-slow` runs this.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(10800)]

INSTALL = 9000
PODS = 900
PORT = 8080
NAMES = {"node0", "node1", "node2"}
FETCH = "import sys, urllib.request as r; [r.urlopen(f'http://{a}:8080/', timeout=30).read() for a in sys.argv[1:]]"


def ask(lab: Lab, *arguments: str, timeout: float = 120) -> str:
    answer = lab.run(kubectl.choose(lab, arguments).argv, timeout=timeout)
    assert answer.exit_code == 0, answer.stdout + answer.stderr
    return answer.stdout


def items(lab: Lab, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ask(lab, "get", *arguments, "-o", "json"))["items"]
    return found


@pytest.fixture(scope="module")
def lab(labs: Any, base_iso: Path) -> Lab:
    started: Lab = labs.bring_up(topology=TOPOLOGIES["compact"], base_iso=base_iso)
    labs.see_installed(started, timeout=INSTALL)
    return started


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


def test_pods_on_different_hosts_reach_each_other_and_a_service(lab: Lab, tmp_path: Path) -> None:
    manifest = tmp_path / "echo.yaml"
    proxy = items(lab, "pods", "--namespace=kube-system", "--selector=k8s-app=kube-proxy")[0]
    manifest.write_text(yaml.safe_dump_all(echo(proxy["spec"]["containers"][0]["image"])))
    ask(lab, "apply", f"--filename={manifest}")
    ask(lab, "rollout", "status", "daemonset/echo", f"--timeout={PODS}s", timeout=PODS + 60)
    pods = {pod["metadata"]["name"]: pod["status"]["podIP"] for pod in items(lab, "pods", "--selector=app=echo")}
    service = items(lab, "services", "--selector=app=echo")[0]["spec"]["clusterIP"]
    assert len(pods) == len(NAMES)
    for pod, own in pods.items():
        others = [address for address in pods.values() if address != own]
        ask(lab, "exec", pod, "--", "/usr/bin/python3", "-c", FETCH, *others, service, timeout=300)


def echo(image: str) -> list[dict[str, Any]]:
    """A web server on each node and a Service before them. No image of the payload has a program that could be one, so
    the host's Python is lent to the pods."""
    label = {"app": "echo"}
    lent = {"usr": "/usr", "lib": "/usr/lib", "lib64": "/usr/lib64"}
    container = {
        "name": "echo",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["/usr/bin/python3", "-m", "http.server", str(PORT), "--directory", "/proc/net"],
        "volumeMounts": [{"name": name, "mountPath": f"/{name}", "readOnly": True} for name in lent],
    }
    volumes = [{"name": name, "hostPath": {"path": path}} for name, path in lent.items()]
    template = {"metadata": {"labels": label}, "spec": {"containers": [container], "volumes": volumes}}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "echo", "labels": label},
            "spec": {"selector": {"matchLabels": label}, "template": template},
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "echo", "labels": label},
            "spec": {"selector": label, "ports": [{"port": PORT}]},
        },
    ]
