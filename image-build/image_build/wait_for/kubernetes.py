"""Looks at the Kubernetes API, with the admin kubeconfig."""

from __future__ import annotations

import msgspec

from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes, ObjectList
from agent.kubernetes.nodes import NODES, Node
from image_build.wait_for.observation import KubernetesView, NodeView

BOOTSTRAP = "/api/v1/namespaces/kube-system/configmaps/bootstrap"


class _ConfigMap(msgspec.Struct, frozen=True):
    data: dict[str, str] = {}


async def look(api: Kubernetes) -> KubernetesView:
    """Reading objects, rather than /readyz, proves that the API server has its database and knows us."""
    try:
        nodes = await api.get(NODES, ObjectList[Node])
        return KubernetesView(answers=True, bootstrapped=await _is_bootstrapped(api), nodes=_views(nodes.items))
    except ApiUnreachable as problem:
        return KubernetesView(answers=False, why=problem.title)
    except ApiRefused as refusal:  # a moment after its start it does not know its own roles yet
        return KubernetesView(answers=False, why=refusal.title)


async def _is_bootstrapped(api: Kubernetes) -> bool:
    try:
        return (await api.get(BOOTSTRAP, _ConfigMap)).data.get("status") == "complete"
    except ApiRefused as refusal:
        if refusal.status != 404:
            raise
        return False


def _views(nodes: tuple[Node, ...]) -> tuple[NodeView, ...]:
    return tuple(NodeView(node.name, node.is_ready, node.why_not_ready) for node in nodes)
