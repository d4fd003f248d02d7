"""The user's patches of kubeadm's kinds. Pure.

A patch is a JSON merge patch (RFC 7386), except that the arguments of a component are always a mapping in it: kubeadm's
own form has changed with its version.
"""

from __future__ import annotations

from typing import Any

from agent.api.payload import KubeadmApi
from agent.kubeadm.kinds import Document, arguments

_COMPONENTS = ("apiServer", "controllerManager", "scheduler")
_EXTRA = "extraArgs"


def merged(document: Any, patch: Any) -> Any:
    """RFC 7386: mappings are merged, null removes, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def patched_cluster(document: Document, patch: Document, api: KubeadmApi) -> Document:
    """A ClusterConfiguration with `patch`; one without arguments comes out as it was."""
    plain = {**document, **{name: _plain(document[name]) for name in _COMPONENTS if name in document}}
    result = merged(plain, patch)
    for name in _COMPONENTS:
        if _EXTRA in result.get(name, {}):
            result[name] = {**result[name], _EXTRA: arguments(result[name][_EXTRA], api)}
    return dict(result)


def _plain(component: Document) -> Document:
    """With its arguments as a mapping."""
    extra = component.get(_EXTRA)
    if not isinstance(extra, list):
        return component
    return {**component, _EXTRA: {each["name"]: each["value"] for each in extra}}
