"""Labels and taints of a node: of its role, the inputs and clients. A kubelet may not set them on its own Node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from agent.model.intent import HostIntent, Role, Taint
from node0.create_cluster.actions import Installed

WORKER_LABEL = "node-role.kubernetes.io/worker"


class _Spec(msgspec.Struct, frozen=True):
    taints: tuple[Taint, ...] = ()


class TaintedNode(msgspec.Struct, frozen=True):
    """A Node object, as far as its taints."""

    spec: _Spec = _Spec()


def labels(installed: Installed, host: HostIntent | None) -> dict[str, str]:
    by_role = {WORKER_LABEL: ""} if installed.role is Role.WORKER else {}
    return by_role | (host.node_labels if host else {}) | installed.labels


def taints(present: Sequence[Taint], host: HostIntent) -> list[dict[str, str]]:
    """All taints of the node. A taint's key and effect identify it."""
    all_of_them = {(taint.key, taint.effect): taint for taint in (*present, *host.node_taints)}
    return [msgspec.to_builtins(taint) for taint in all_of_them.values()]


def patch(installed: Installed, host: HostIntent | None, node: TaintedNode) -> dict[str, Any]:
    """A merge patch; empty when there is nothing to change."""
    document: dict[str, Any] = {}
    if all_labels := labels(installed, host):
        document["metadata"] = {"labels": all_labels}
    if host and host.node_taints:
        document["spec"] = {"taints": taints(node.spec.taints, host)}
    return document
