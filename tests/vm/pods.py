"""kubectl against an installed cluster, and pods that read pages from each other."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab

PODS_SECONDS = 900
PORT = 8080
REACH_SECONDS = 300
"""After a boot the API reports pods as they were, until the kubelet has started them again and kube-proxy has rules."""
PAUSE_SECONDS = 2
FETCH = "import sys, urllib.request as r; [r.urlopen(url, timeout=10).read() for url in sys.argv[1:]]"


def kubectl_output(lab: Lab, *arguments: str, timeout: float = 120) -> str:
    ended = lab.run(kubectl.choose(lab, arguments).argv, timeout=timeout)
    assert ended.exit_code == 0, ended.stdout + ended.stderr
    return ended.stdout


def items(lab: Lab, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(kubectl_output(lab, "get", *arguments, "-o", "json"))["items"]
    return found


def assert_pods_reach_each_other(lab: Lab, directory: Path) -> list[str]:
    """A pod on each node reads a page from each of them, and through a Service. Returns these addresses."""
    manifest = directory / "echo.yaml"
    # Its pods come once a controller manager leads, which is later than the nodes are Ready.
    (proxy,) = items(lab, "daemonsets", "--namespace=kube-system", "--selector=k8s-app=kube-proxy")
    manifest.write_text(yaml.safe_dump_all(echo(proxy["spec"]["template"]["spec"]["containers"][0]["image"])))
    kubectl_output(lab, "apply", f"--filename={manifest}")
    kubectl_output(lab, "rollout", "status", "daemonset/echo", f"--timeout={PODS_SECONDS}s", timeout=PODS_SECONDS + 60)
    service = items(lab, "services", "--selector=app=echo")[0]["spec"]["clusterIP"]
    nodes = len(items(lab, "nodes"))
    deadline = time.monotonic() + REACH_SECONDS
    while True:
        pods = {
            pod["metadata"]["name"]: pod["status"].get("podIP", "") for pod in items(lab, "pods", "--selector=app=echo")
        }
        addresses = [*pods.values(), service]
        failures = [failure for pod in pods if (failure := _fetch(lab, pod, addresses))]
        if len(pods) == nodes and not failures:
            return addresses
        assert time.monotonic() < deadline, f"{len(pods)} pods on {nodes} nodes: {failures}"
        lab.watch.check()
        lab.watch.wait(PAUSE_SECONDS)


def _fetch(lab: Lab, pod: str, addresses: Sequence[str]) -> str:
    """Have the pod read a page from each of `addresses`. Why it cannot; empty when it can."""
    if not all(addresses):
        return f"{pod}: not every pod has an address: {addresses}"
    urls = [f"http://[{address}]:{PORT}/" if ":" in address else f"http://{address}:{PORT}/" for address in addresses]
    argv = kubectl.choose(lab, ["exec", pod, "--", "/usr/bin/python3", "-c", FETCH, *urls]).argv
    ended = lab.run(argv, timeout=REACH_SECONDS)
    return "" if ended.exit_code == 0 else f"{pod} to {urls}: {ended.stdout}{ended.stderr}"


def echo(image: str) -> list[dict[str, Any]]:
    """A web server on each node and a Service for them. No image of the payload has a web server, so the pods mount the
    host's Python."""
    label = {"app": "echo"}
    host_paths = {"usr": "/usr", "lib": "/usr/lib", "lib64": "/usr/lib64"}
    container = {
        "name": "echo",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["/usr/bin/python3", "-m", "http.server", str(PORT), "--bind", "::", "--directory", "/proc/net"],
        "volumeMounts": [{"name": name, "mountPath": f"/{name}", "readOnly": True} for name in host_paths],
    }
    volumes = [{"name": name, "hostPath": {"path": path}} for name, path in host_paths.items()]
    # With workers in the cluster, ordinary pods do not run on the control plane.
    spec = {"containers": [container], "volumes": volumes, "tolerations": [{"operator": "Exists"}]}
    template = {"metadata": {"labels": label}, "spec": spec}
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
