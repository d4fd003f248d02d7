"""The actions of which the driver's plan consists."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.api.clusters import ClusterCreate
from agent.api.hosts import HostUpdate
from agent.api.infra_envs import InfraEnvCreate
from agent.model.intent import Role
from agent.model.problems import Problem

EVENTS_SECONDS = 60


@dataclass(frozen=True)
class RegisterCluster:
    body: ClusterCreate


@dataclass(frozen=True)
class AddManifests:
    """Add the manifests of the ISO to the service. The infra-env, registered after that, shows that this is done."""


@dataclass(frozen=True)
class RegisterInfraEnv:
    body: InfraEnvCreate


@dataclass(frozen=True)
class DecideHost:
    """Set a host's role, name and disk, and whether it takes part."""

    host_id: str
    body: HostUpdate
    why: str


@dataclass(frozen=True)
class StartInstall:
    """`without`: names of workers for which the wait is over."""

    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Installed:
    """A host that becomes a node. `labels`: those that clients of the API requested."""

    role: Role
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AwaitNodes:
    """Every host is installed: wait until their nodes are Ready, and complete the install. By name of the node."""

    nodes: dict[str, Installed]


@dataclass(frozen=True)
class MarkNodes:
    """Late hosts have become nodes: give these their labels and taints. By name of the node."""

    nodes: dict[str, Installed]


@dataclass(frozen=True)
class Wait:
    """Nothing to do until the next event, or for `seconds`."""

    why: str
    seconds: int = EVENTS_SECONDS


@dataclass(frozen=True)
class Finish:
    """The cluster is installed."""


@dataclass(frozen=True)
class GiveUp:
    problem: Problem


Action = (
    RegisterCluster
    | AddManifests
    | RegisterInfraEnv
    | DecideHost
    | StartInstall
    | AwaitNodes
    | MarkNodes
    | Wait
    | Finish
    | GiveUp
)
