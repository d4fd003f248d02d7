"""How far an install is, in percent. The shares are assisted-service's."""

from __future__ import annotations

from collections.abc import Iterable

from agent.api.clusters import ClusterProgress
from agent.model.states import STAGES, ClusterStatus
from node0.state_machine.cluster import UNDER_WAY
from node0.store.records import ClusterRecord, HostRecord

PREPARING_SHARE = 0.1
INSTALLING_SHARE = 0.7


def of_host(host: HostRecord) -> int:
    """The stage's place in its role's list."""
    return 100 * _stages_reached(host) // len(STAGES[host.install_role])


def of_cluster(cluster: ClusterRecord, hosts: Iterable[HostRecord]) -> ClusterProgress:
    if cluster.status is ClusterStatus.INSTALLED:
        return ClusterProgress(
            total_percentage=100,
            preparing_for_installation_stage_percentage=100,
            installing_stage_percentage=100,
            finalizing_stage_percentage=100,
        )
    taking_part = [host for host in hosts if host.approved and not host.late]
    stages = sum(len(STAGES[host.install_role]) for host in taking_part)
    installing = 100 * sum(_stages_reached(host) for host in taking_part) // stages if stages else 0
    preparing = 100 if cluster.status in UNDER_WAY or cluster.install_started_at else 0
    return ClusterProgress(
        total_percentage=int(PREPARING_SHARE * preparing + INSTALLING_SHARE * installing),
        preparing_for_installation_stage_percentage=preparing,
        installing_stage_percentage=installing,
    )


def _stages_reached(host: HostRecord) -> int:
    return STAGES[host.install_role].index(host.stage.stage) + 1 if host.stage else 0
