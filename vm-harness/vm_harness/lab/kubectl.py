"""The kubectl for a lab's cluster, whose addresses exist only in the lab's network namespace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from cli.cluster_directory import AUTH, KUBECONFIG
from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab

ENVIRONMENT = "CLUSTER0_KUBECTL"
COPY_SECONDS = 300.0


@dataclass(frozen=True)
class Kubectl:
    """`argv`: to run in the namespace; `origin`: which kubectl it is, for people."""

    argv: list[str]
    origin: str


def choose(lab: Lab, arguments: Sequence[str]) -> Kubectl:
    """The kubectl that `CLUSTER0_KUBECTL` names, else the one on PATH, else a copy of the first host's own.

    Raises `Problem`: `no-kubeconfig` before there are credentials, `command-failed` when the host does not give a copy.
    """
    kubeconfig = lab.directories.inputs / AUTH / KUBECONFIG
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
    """kubectl is one static program; the host's is of the cluster's version."""
    half = to.with_suffix(".part")
    node.ssh.fetch("$(command -v kubectl)", half, timeout=COPY_SECONDS)
    half.chmod(0o755)
    half.replace(to)
