"""Which kubectl, and how it reaches the cluster: the addresses exist only inside the lab's namespace."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from agent.api.problems import Problem
from vm_harness.lab import Lab

ENVIRONMENT = "CLUSTER0_KUBECTL"


@dataclass(frozen=True)
class Kubectl:
    """`argv` to run, and in words which kubectl that is."""

    argv: list[str]
    origin: str


def choose(lab: Lab, arguments: Sequence[str]) -> Kubectl:
    """The one that `CLUSTER0_KUBECTL` names, else the one on PATH, else the first host's own, by SSH."""
    named = os.environ.get(ENVIRONMENT)
    if found := named or shutil.which("kubectl"):
        kubeconfig = lab.directories.inputs / "auth" / "kubeconfig"
        if not kubeconfig.exists():
            raise Problem(
                code="no-kubeconfig", title=f"there is no {kubeconfig}", remedy="`cluster0 create image` writes it."
            )
        argv = lab.namespace.inside([found, f"--kubeconfig={kubeconfig}", *arguments])
        return Kubectl(argv, f"{found} ({ENVIRONMENT})" if named else found)
    node = lab.node()
    command = shlex.join(["sudo", "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", *arguments])
    return Kubectl(node.ssh.argv(command), f"kubectl of {node.name}, by SSH")
