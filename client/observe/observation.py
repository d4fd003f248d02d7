"""What one look at the cluster gave. Plain facts; what they mean is judged elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agent.api.clusters import Cluster
from agent.api.events import Event
from client.observe.pairs import Pair


class Reach(StrEnum):
    """How far a call to node0's service got. `REFUSED`: the host is up, nothing listens."""

    ANSWERS = "answers"
    REFUSED = "refused"
    UNTRUSTED = "untrusted"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class ServiceView:
    """`why`: the words for anything but an answer. `cluster`: None until the driver has registered it.

    `events`: those that were not seen before. `pairs`: tests between hosts that fail.
    """

    reach: Reach
    why: str = ""
    cluster: Cluster | None = None
    events: tuple[Event, ...] = ()
    pairs: frozenset[Pair] = frozenset()


@dataclass(frozen=True)
class NodeView:
    """A Kubernetes node; `why`: the kubelet's words while it is not ready."""

    name: str
    ready: bool
    why: str = ""
    control_plane: bool = False


@dataclass(frozen=True)
class NamedView:
    """The Kubernetes API by its name, from this computer. `why` it does not answer there; empty: it does."""

    name: str
    why: str = ""


@dataclass(frozen=True)
class KubernetesView:
    """`bootstrapped`, `installed`: what the cluster says of itself (`agent.kubernetes.milestones`). `by_name`: once the
    address answers."""

    answers: bool
    why: str = ""
    bootstrapped: bool = False
    installed: bool = False
    nodes: tuple[NodeView, ...] = ()
    by_name: NamedView | None = None


@dataclass(frozen=True)
class Observation:
    """`at`: seconds on a monotonic clock."""

    at: float
    service: ServiceView
    kubernetes: KubernetesView
