"""The user's patches of kubeadm's kinds. Pure.

A patch is a JSON merge patch (RFC 7386), except that it always gives the arguments of a component as a mapping:
kubeadm's own form depends on its version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent.kubeadm.kinds import Document, arguments
from agent.model.payload import KubeadmApi

_COMPONENTS = (("apiServer",), ("controllerManager",), ("scheduler",), ("etcd", "local"))
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
    """A ClusterConfiguration with `patch` applied."""
    for path in _COMPONENTS:
        document = _with_arguments(document, path, _plain)
    result = merged(document, patch)
    for path in _COMPONENTS:
        result = _with_arguments(result, path, lambda values: arguments(values, api))
    return dict(result)


def _with_arguments(document: Document, path: tuple[str, ...], change: Callable[[Any], Any]) -> Document:
    """`document` with the arguments of the component at `path`, if it has any, changed."""
    if not path:
        return {**document, _EXTRA: change(document[_EXTRA])} if _EXTRA in document else document
    below = document.get(path[0])
    return {**document, path[0]: _with_arguments(below, path[1:], change)} if isinstance(below, dict) else document


def _plain(values: Any) -> Any:
    """Arguments as a mapping."""
    return {each["name"]: each["value"] for each in values} if isinstance(values, list) else values
