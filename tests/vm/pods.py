"""Asking an installed cluster for things, and web servers in pods that ask each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab

PODS_SECONDS = 900
PORT = 8080
FETCH = "import sys, urllib.request as r; [r.urlopen(url, timeout=30).read() for url in sys.argv[1:]]"


def ask(lab: Lab, *arguments: str, timeout: float = 120) -> str:
    answer = lab.run(kubectl.choose(lab, arguments).argv, timeout=timeout)
    assert answer.exit_code == 0, answer.stdout + answer.stderr
    return answer.stdout


def items(lab: Lab, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ask(lab, "get", *arguments, "-o", "json"))["items"]
    return found


def start_echo(lab: Lab, directory: Path) -> tuple[dict[str, str], str]:
    """A web server on each node: name of its pod → address, and the address of the Service before them."""
    manifest = directory / "echo.yaml"
    proxy = items(lab, "pods", "--namespace=kube-system", "--selector=k8s-app=kube-proxy")[0]
    manifest.write_text(yaml.safe_dump_all(echo(proxy["spec"]["containers"][0]["image"])))
    ask(lab, "apply", f"--filename={manifest}")
    ask(lab, "rollout", "status", "daemonset/echo", f"--timeout={PODS_SECONDS}s", timeout=PODS_SECONDS + 60)
    pods = {pod["metadata"]["name"]: pod["status"]["podIP"] for pod in items(lab, "pods", "--selector=app=echo")}
    return pods, items(lab, "services", "--selector=app=echo")[0]["spec"]["clusterIP"]


def fetch(lab: Lab, pod: str, addresses: Sequence[str]) -> None:
    """Have the pod read a page from each of `addresses`."""
    urls = [f"http://[{address}]:{PORT}/" if ":" in address else f"http://{address}:{PORT}/" for address in addresses]
    ask(lab, "exec", pod, "--", "/usr/bin/python3", "-c", FETCH, *urls, timeout=300)


def echo(image: str) -> list[dict[str, Any]]:
    """A web server on each node and a Service before them. No image of the payload has a program that could be one, so
    the host's Python is lent to the pods."""
    label = {"app": "echo"}
    lent = {"usr": "/usr", "lib": "/usr/lib", "lib64": "/usr/lib64"}
    container = {
        "name": "echo",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["/usr/bin/python3", "-m", "http.server", str(PORT), "--bind", "::", "--directory", "/proc/net"],
        "volumeMounts": [{"name": name, "mountPath": f"/{name}", "readOnly": True} for name in lent],
    }
    volumes = [{"name": name, "hostPath": {"path": path}} for name, path in lent.items()]
    # A control plane beside workers keeps ordinary pods off.
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
