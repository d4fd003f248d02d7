"""Routes of the pod network in the kernel, inside a network namespace of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.paths import REPOSITORY

pytestmark = pytest.mark.integration

SCRIPT = """
import json, subprocess
from agent.podnet.routes import PodRoute, set_routes

def ip(*words):
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout

def routes():
    return sorted((route["dst"], route.get("gateway", "")) for route in json.loads(ip("-json", "route", "show")))

ip("link", "add", "eth0", "type", "veth", "peer", "name", "peer0")
ip("link", "set", "peer0", "up")
ip("address", "add", "192.0.2.11/24", "dev", "eth0")
ip("link", "set", "eth0", "up")
ip("route", "add", "198.51.100.0/24", "via", "192.0.2.1")
n2, n3 = PodRoute("10.128.2.0/23", "192.0.2.12"), PodRoute("10.128.4.0/23", "192.0.2.13")
far = PodRoute("10.128.8.0/23", "203.0.113.9")
seen = []
for wanted in ([n2, n3, far], [n2, n3, far], [PodRoute(n2.destination, "192.0.2.22")], []):
    set_routes(frozenset(wanted))
    seen.append(routes())
print(json.dumps(seen))
"""
OTHERS = [["192.0.2.0/24", ""], ["198.51.100.0/24", "192.0.2.1"]]


def test_routes_follow_the_nodes_and_leave_others_alone() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root for a network namespace")
    ran = subprocess.run(
        ["unshare", "--net", sys.executable, "-W", "ignore", "-c", SCRIPT],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    both = [["10.128.2.0/23", "192.0.2.12"], ["10.128.4.0/23", "192.0.2.13"], *OTHERS]
    assert json.loads(ran.stdout) == [both, both, [["10.128.2.0/23", "192.0.2.22"], *OTHERS], OTHERS]
    assert "10.128.8.0/23 through 203.0.113.9" in ran.stderr
