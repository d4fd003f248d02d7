"""One observation of the install: plain facts. `client.observe.phase` and `client.wait_for` evaluate them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agent.api.clusters import Cluster
from agent.api.events import Event
from client.observe.peer_failures import PeerFailure


class Reach(StrEnum):
    """How far a call to node0's service got. `REFUSED`: the host is up, nothing listens."""

    ANSWERS = "answers"
    REFUSED = "refused"
    UNTRUSTED = "untrusted"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class ServiceView:
    """`why`: the reason for anything but an answer. `cluster`: None until the driver has registered it.

    `events`: those that were not seen before.
    """

    reach: Reach
    why: str = ""
    cluster: Cluster | None = None
    events: tuple[Event, ...] = ()
    peer_failures: frozenset[PeerFailure] = frozenset()


@dataclass(frozen=True)
class NodeView:
    """A Kubernetes node; `why`: what the kubelet reports while it is not ready."""

    name: str
    ready: bool
    why: str = ""
    control_plane: bool = False


@dataclass(frozen=True)
class ApiNameView:
    """The Kubernetes API by its DNS name, from this computer. `why`: the reason for no answer; empty: it answers."""

    name: str
    why: str = ""


@dataclass(frozen=True)
class KubernetesView:
    """`bootstrapped`, `installed`: recorded in the cluster (`agent.kubernetes.milestones`). `by_name`: None until the
    address answers."""

    answers: bool
    why: str = ""
    bootstrapped: bool = False
    installed: bool = False
    nodes: tuple[NodeView, ...] = ()
    by_name: ApiNameView | None = None


@dataclass(frozen=True)
class Observation:
    """`at`: seconds on a monotonic clock."""

    at: float
    service: ServiceView
    kubernetes: KubernetesView
