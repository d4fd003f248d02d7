"""What every installed cluster must be able to do."""

from __future__ import annotations

import json
import time

from tests.vm.pods import items
from vm_harness.guest.node import Node
from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab

READY_SECONDS = 600.0
PAUSE_SECONDS = 2.0
BOOT_ID = "/proc/sys/kernel/random/boot_id"
LIST_MEMBERS = """
import ssl, sys, urllib.request
pki = "/etc/kubernetes/pki/etcd"
tls = ssl.create_default_context(cafile=f"{pki}/ca.crt")
tls.load_cert_chain(f"{pki}/server.crt", f"{pki}/server.key")
url = f"https://{sys.argv[1]}:2379/v3/cluster/member/list"
print(urllib.request.urlopen(url, data=b"{}", context=tls, timeout=30).read().decode())
"""
CONTROL_PLANE_LABEL = "node-role.kubernetes.io/master"


def ready_nodes(lab: Lab) -> dict[str, bool]:
    """Name of each node that is Ready → whether it is a control plane."""
    return {
        node["metadata"]["name"]: CONTROL_PLANE_LABEL in node["metadata"]["labels"]
        for node in items(lab, "nodes")
        for condition in node["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }


def wait_until_ready(lab: Lab) -> None:
    """Wait until each host is a Ready node *of its present boot*: a node stays Ready for a while after it has gone."""
    deadline = time.monotonic() + READY_SECONDS
    boots = {node.name: node.wait_until_succeeds(f"cat {BOOT_ID}").strip() for node in lab.nodes}
    while (seen := _ready_boots(lab)) != boots:
        assert time.monotonic() < deadline, f"Ready, by their boot: {seen}; the hosts' boots: {boots}"
        lab.watch.check()
        lab.watch.wait(PAUSE_SECONDS)


def _ready_boots(lab: Lab) -> dict[str, str]:
    """Name of each Ready node → id of the boot it is Ready in; nothing while the API does not answer."""
    found = lab.run(kubectl.choose(lab, ["get", "nodes", "--output=json", "--request-timeout=10s"]).argv, timeout=60)
    if found.exit_code != 0:
        return {}
    return {
        node["metadata"]["name"]: node["status"]["nodeInfo"]["bootID"]
        for node in json.loads(found.stdout)["items"]
        for condition in node["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Ready", "True")
    }


def etcd_members(lab: Lab) -> dict[str, bool]:
    """Name of each member of etcd → whether it votes. From etcd itself, by a control plane's own certificate."""
    listed = lab.node().succeed(f"sudo python3 -c '{LIST_MEMBERS}' {url_host(lab.node().address)}")
    return {member["name"]: not member.get("isLearner", False) for member in json.loads(listed)["members"]}


def url_host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def holder_of(lab: Lab, address: str) -> Node:
    """The host that has the virtual address."""
    (found,) = (node for node in lab.nodes if node.execute(f"ip -oneline address | grep -w {address}").exit_code == 0)
    return found
