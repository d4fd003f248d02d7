"""Nodes, as far as an install looks at them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

import msgspec

from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.machine import Clock

NODES = "/api/v1/nodes"
_CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"
_SECONDS_BEFORE_RETRY = 2.0


class _Metadata(msgspec.Struct, frozen=True):
    name: str
    labels: dict[str, str] = {}


class _Spec(msgspec.Struct, frozen=True):
    podCIDRs: tuple[str, ...] = ()  # noqa: N815  # Kubernetes' own spelling


class _Condition(msgspec.Struct, frozen=True):
    type: str
    status: str
    message: str = ""


class _Address(msgspec.Struct, frozen=True):
    type: str
    address: str


class _NodeInfo(msgspec.Struct, frozen=True):
    bootID: str = ""  # noqa: N815


class _Status(msgspec.Struct, frozen=True):
    conditions: tuple[_Condition, ...] = ()
    addresses: tuple[_Address, ...] = ()
    nodeInfo: _NodeInfo = _NodeInfo()  # noqa: N815


class Node(msgspec.Struct, frozen=True):
    metadata: _Metadata
    spec: _Spec = _Spec()
    status: _Status = _Status()

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def is_ready(self) -> bool:
        return any(condition.type == "Ready" and condition.status == "True" for condition in self.status.conditions)

    @property
    def is_control_plane(self) -> bool:
        """Whether the Node has the label that kubeadm gives to control-plane nodes."""
        return _CONTROL_PLANE_LABEL in self.metadata.labels

    @property
    def boot_id(self) -> str:
        """The boot in which the kubelet last updated the Node. Conditions of an earlier boot are out of date."""
        return self.status.nodeInfo.bootID

    @property
    def why_not_ready(self) -> str:
        """The kubelet's own message; empty before its first."""
        return next((condition.message for condition in self.status.conditions if condition.type == "Ready"), "")

    @property
    def addresses(self) -> tuple[str, ...]:
        """Its internal addresses."""
        return tuple(address.address for address in self.status.addresses if address.type == "InternalIP")


async def wait_for_node(api: Kubernetes, name: str, clock: Clock, until: Callable[[Node], bool]) -> Node:
    """The node, once it exists and `until` holds; waits as long as that takes, API server or not."""
    query = {"fieldSelector": f"metadata.name={name}"}
    while True:
        try:
            async with aclosing(api.follow(NODES, Node, query=query)) as changes:
                async for nodes in changes:
                    if nodes and until(nodes[0]):
                        return nodes[0]
        except (ApiUnreachable, ApiRefused):
            # Not there yet, there again soon, or still starting: its roles are made a moment after it answers.
            await clock.sleep(_SECONDS_BEFORE_RETRY)
