"""How far the install is, for clients that cannot reach node0: ConfigMaps in `kube-system`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from agent.kubernetes.client import ApiRefused, Kubernetes

_NOT_FOUND = 404
_COMPLETE = {"status": "complete"}


class Milestone(StrEnum):
    """`bootstrap`: the name and the key are those of OpenShift's bootstrap. The other is written when every host that
    had to be is Done, node0 after its reboot included, its node is Ready, and the user's manifests are applied."""

    BOOTSTRAP_COMPLETE = "bootstrap"
    INSTALL_COMPLETE = "cluster0-install"


class _ConfigMap(msgspec.Struct, frozen=True):
    data: dict[str, str] = {}


async def record(api: Kubernetes, milestone: Milestone, **more: str) -> None:
    """Record that it is reached, with the data `more`. Repeating it changes nothing."""
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": milestone, "namespace": "kube-system"},
        "data": _COMPLETE | more,
    }
    await api.apply(_path(milestone), manifest)


async def is_reached(api: Kubernetes, milestone: Milestone) -> bool:
    """Raises what the client raises, but for a ConfigMap that is not there yet."""
    try:
        found = await api.get(_path(milestone), _ConfigMap)
    except ApiRefused as refusal:
        if refusal.status != _NOT_FOUND:
            raise
        return False
    return _COMPLETE.items() <= found.data.items()


def _path(milestone: Milestone) -> str:
    return f"/api/v1/namespaces/kube-system/configmaps/{milestone}"
