"""The one table of operations: server, typed client and OpenAPI document all come from it.

Paths, methods, status codes and authentication are assisted-service's v2 REST API. Rows marked "our addition" have no
counterpart there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from agent.api import resources as r
from agent.api.join import JoinCredential
from agent.api.steps import Progress, StepReply, Steps

BASE = "/api/assisted-install"
PORT = 8090

Body = TypeVar("Body")
Reply = TypeVar("Reply")


class TokenRole(StrEnum):
    """Who is calling. `HOST` tokens are made by registering and are bound to one host."""

    AGENT = "agent"
    HOST = "host"
    USER = "user"
    WATCHER = "watcher"


@dataclass(frozen=True)
class Route(Generic[Body, Reply]):
    """One operation. `path` is below `BASE`, parameters in braces; `roles` may call it; `Nothing`: no content."""

    operation: str
    method: str
    path: str
    status: int
    roles: frozenset[TokenRole]
    body: type[Body]
    reply: type[Reply]
    summary: str
    query: tuple[str, ...] = ()


Nothing = type(None)

_AGENT = frozenset({TokenRole.AGENT})
_HOST = frozenset({TokenRole.HOST})
_USER = frozenset({TokenRole.USER})
_READ = frozenset({TokenRole.USER, TokenRole.WATCHER})
_ANY = frozenset({TokenRole.USER, TokenRole.WATCHER, TokenRole.HOST})

# fmt: off
REGISTER_CLUSTER = Route("v2RegisterCluster", "POST", "/v2/clusters", 201, _USER, r.ClusterCreate, r.Cluster, "Register a cluster")
LIST_CLUSTERS = Route("v2ListClusters", "GET", "/v2/clusters", 200, _READ, Nothing, list[r.Cluster], "List clusters", ("with_hosts",))
GET_CLUSTER = Route("v2GetCluster", "GET", "/v2/clusters/{cluster_id}", 200, _ANY, Nothing, r.Cluster, "One cluster with its hosts", ("exclude-hosts",))
INSTALL_CLUSTER = Route("v2InstallCluster", "POST", "/v2/clusters/{cluster_id}/actions/install", 202, _USER, Nothing, r.Cluster, "Start the install")
COMPLETE_INSTALLATION = Route("v2CompleteInstallation", "POST", "/v2/clusters/{cluster_id}/actions/complete-installation", 202, _USER, r.Completion, r.Cluster, "Say how the install ended")
MOVE_STORE = Route("c0MoveStore", "POST", "/v2/clusters/{cluster_id}/actions/move-store", 204, _USER, Nothing, Nothing, "Move the database to the state file system (our addition)")
REGISTER_INFRA_ENV = Route("RegisterInfraEnv", "POST", "/v2/infra-envs", 201, _USER, r.InfraEnvCreate, r.InfraEnv, "Register an infra-env")
LIST_INFRA_ENVS = Route("ListInfraEnvs", "GET", "/v2/infra-envs", 200, _READ, Nothing, list[r.InfraEnv], "List infra-envs", ("cluster_id",))
GET_INFRA_ENV = Route("GetInfraEnv", "GET", "/v2/infra-envs/{infra_env_id}", 200, _ANY, Nothing, r.InfraEnv, "One infra-env")
REGISTER_HOST = Route("v2RegisterHost", "POST", "/v2/infra-envs/{infra_env_id}/hosts", 201, _AGENT, r.HostRegister, r.HostRegistration, "Register a host; the reply carries its token")
LIST_HOSTS = Route("v2ListHosts", "GET", "/v2/infra-envs/{infra_env_id}/hosts", 200, _READ, Nothing, list[r.Host], "List hosts")
GET_HOST = Route("v2GetHost", "GET", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}", 200, _ANY, Nothing, r.Host, "One host")
UPDATE_HOST = Route("v2UpdateHost", "PATCH", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}", 201, _USER, r.HostUpdate, r.Host, "Set role, name, disk, approval")
GET_INSTRUCTIONS = Route("v2GetNextSteps", "GET", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/instructions", 200, _HOST, Nothing, Steps, "What to do next; wait=SECONDS polls long (our addition)", ("timestamp", "wait"))
POST_STEP_REPLY = Route("v2PostStepReply", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/instructions", 204, _HOST, StepReply, Nothing, "The result of a step")
UPDATE_PROGRESS = Route("v2UpdateHostInstallProgress", "PUT", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/progress", 200, _HOST, Progress, Nothing, "The stage an installing host has reached")
MINT_JOIN_CREDENTIAL = Route("c0MintJoinCredential", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/join", 200, _HOST, Nothing, JoinCredential, "What an installed host needs to become a node, once (our addition)")
LIST_EVENTS = Route("v2ListEvents", "GET", "/v2/events", 200, _READ, Nothing, list[r.Event], "Events in order; after=ID and wait=SECONDS are our additions", ("cluster_id", "infra_env_id", "host_id", "after", "wait"))
# fmt: on

ROUTES: tuple[Route[object, object], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Route)
)
