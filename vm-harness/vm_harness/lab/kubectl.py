"""Which kubectl: the cluster's addresses exist only inside the lab's namespace, its credentials are in DIR/auth."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab

ENVIRONMENT = "CLUSTER0_KUBECTL"
COPY_SECONDS = 300.0


@dataclass(frozen=True)
class Kubectl:
    """`argv` to run inside the namespace, and in words which kubectl that is."""

    argv: list[str]
    origin: str


def choose(lab: Lab, arguments: Sequence[str]) -> Kubectl:
    """The one that `CLUSTER0_KUBECTL` names, else the one on PATH, else a copy of the first host's own.

    Raises `Problem`: `no-kubeconfig` before there are credentials, `no-ssh` when a copy is needed and not to be had.
    """
    kubeconfig = lab.directories.inputs / "auth" / "kubeconfig"
    if not kubeconfig.exists():
        raise Problem(
            code="no-kubeconfig", title=f"there is no {kubeconfig}", remedy="cluster0 create image writes it."
        )
    program, origin = _program(lab)
    return Kubectl([program, f"--kubeconfig={kubeconfig}", *arguments], origin)


def _program(lab: Lab) -> tuple[str, str]:
    if named := os.environ.get(ENVIRONMENT):
        return named, f"{named} ({ENVIRONMENT})"
    if found := shutil.which("kubectl"):
        return found, found
    node, copy = lab.node(), lab.directories.root / "kubectl"
    if not copy.exists():
        _copy(node, copy)
    return os.fspath(copy), f"{copy}, copied from {node.name}"


def _copy(node: Node, to: Path) -> None:
    """kubectl is one static program; the host's has the cluster's version."""
    half = to.with_suffix(".part")
    node.ssh.fetch("$(command -v kubectl)", half, timeout=COPY_SECONDS)
    half.chmod(0o755)
    half.replace(to)
