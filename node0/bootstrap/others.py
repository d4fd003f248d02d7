"""node0 reboots last: its live system serves until every other host has joined."""

from __future__ import annotations

import logging

from agent.api.client import Client, Refused, Unreachable
from agent.api.clusters import Cluster
from agent.api.hosts import LATE
from agent.api.operations import GET_CLUSTER, LIST_EVENTS
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.intent import Role
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.bootstrap.service import Stages

log = logging.getLogger(__name__)

EVENTS_SECONDS = 60


async def wait_for_others(machine: Machine, service: Client, cluster_id: str, own_id: str, stages: Stages) -> None:
    """Return when every other host is installed. Workers that have failed or are late may join later.

    `service` carries the user's token. Raises Problem `cluster-failed` when the install can no longer succeed.
    """
    seen = 0
    pauses = delays()
    while True:
        try:
            cluster = await service.call(GET_CLUSTER, cluster_id=cluster_id)
            waiting = waited_for(cluster, own_id)
            if not waiting:
                return
            await stages.report(Stage.WAITING_FOR_CONTROLLER, f"waiting for {', '.join(waiting)}")
            query = {"after": seen, "wait": EVENTS_SECONDS}
            events = await service.call(LIST_EVENTS, query=query, timeout=EVENTS_SECONDS + 30.0)
            seen = events[-1].id if events else seen
            pauses = delays()
        except (Unreachable, Refused) as problem:
            log.info("%s", problem.title)
            await machine.clock.sleep(next(pauses))


def waited_for(cluster: Cluster, own_id: str) -> list[str]:
    """Names of the hosts that are not installed yet. Pure."""
    if cluster.status is ClusterStatus.ERROR:
        raise Problem(code="cluster-failed", title=f"The install failed: {cluster.status_info}")
    return [
        host.requested_hostname or host.id
        for host in cluster.hosts
        if host.id != own_id and host.approved and host.kind != LATE
        if not _is_done(host.status, host.suggested_role)
    ]


def _is_done(status: HostStatus, role: Role) -> bool:
    return status is HostStatus.INSTALLED or (status is HostStatus.ERROR and role is Role.WORKER)
