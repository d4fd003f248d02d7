"""Whether a cluster is installed and can be used, and whether a program of ours has crashed on the way."""

from __future__ import annotations

import json

from agent.model.problems import Problem
from vm_harness.guest.node import Node
from vm_harness.lab import kubectl
from vm_harness.lab.cluster import image
from vm_harness.lab.lab import Lab

READY_SECONDS = 300
CRASHES = "sudo journalctl --no-pager --output=cat -u 'cluster0-*' | grep -A 30 -m 1 '^Traceback'"
STORED = ["create", "configmap", "fault-campaign", "--from-literal=written=yes"]


def wait_until_installed(lab: Lab, timeout: float) -> str:
    """Empty when `cluster0 wait-for install-complete` succeeds; else its last words."""
    argv = [
        image.cluster0(), "wait-for", "install-complete", "--dir", str(lab.directories.inputs), "--no-gather",
        "--timeout", f"{timeout / 60:g}",
    ]  # fmt: skip
    try:
        ended = lab.run(argv, timeout=timeout + 120)
    except Problem as problem:
        return str(problem)
    if ended.exit_code == 0:
        return ""
    return f"wait-for ended with {ended.exit_code}: {ended.stderr.strip() or ended.stdout.strip()}"[-1500:]


def why_unusable(lab: Lab) -> str:
    """Empty when every node is Ready, runs from its disk, and the API stores and returns what is written to it."""
    try:
        kubectl_answer(lab, ["wait", "--for=condition=Ready", "node", "--all", f"--timeout={READY_SECONDS}s"])
        nodes = json.loads(kubectl_answer(lab, ["get", "nodes", "-o", "json"]))["items"]
        if len(nodes) != len(lab.nodes):
            return f"the cluster has {len(nodes)} nodes, and the inputs {len(lab.nodes)}"
        kubectl_answer(lab, STORED)
        kubectl_answer(lab, ["get", "configmap", "fault-campaign", "-o", "jsonpath={.data.written}"])
        for node in lab.nodes:
            node.succeed("grep -q cluster0.state=UUID= /proc/cmdline")
    except Problem as problem:
        return str(problem)
    return ""


def kubectl_answer(lab: Lab, arguments: list[str]) -> str:
    """Raises `Problem` (`kubectl-failed`)."""
    answer = lab.run(kubectl.choose(lab, arguments).argv, timeout=READY_SECONDS + 60)
    if answer.exit_code:
        raise Problem(code="kubectl-failed", title=f"kubectl {' '.join(arguments)}", detail=answer.stderr)
    return answer.stdout


def crash_of(node: Node) -> str:
    """The first traceback of one of our programs in the host's journal; empty without one, or without an answer."""
    try:
        return node.ssh.run(CRASHES, timeout=60).stdout.strip()
    except Problem:
        return ""
