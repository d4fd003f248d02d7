"""The install of the cluster: started, and ended by who watched it."""

from __future__ import annotations

import msgspec

from agent.api.clusters import Completion
from agent.model.states import ClusterStatus, Severity
from node0.reconcile.reconcile import fire_cluster
from node0.reconcile.state_manager import Change, Draft, cluster_of
from node0.refusals import Conflict
from node0.state_machine.cluster import ClusterEvent


def start_install(cluster_id: str, without: tuple[str, ...] = ()) -> Change:
    """`without`: names of hosts of the inputs that are not waited for. Whoever is not approved by now is late."""

    def change(draft: Draft) -> None:
        cluster = cluster_of(draft.records, cluster_id)
        moved = fire_cluster(ClusterEvent.INSTALL_REQUESTED, draft.records, draft.watches, draft.now)
        if moved is None:
            raise Conflict(
                code="cluster-not-ready",
                title=f"Cluster {cluster.asked.name} is {cluster.status}: {cluster.status_info}",
            )
        draft.put_cluster(moved)
        draft.tell(
            "cluster_prepare_installation_started", f"Cluster {cluster.asked.name}: starting installation preparation"
        )
        if without:
            names = ", ".join(without)
            words = f"Cluster {cluster.asked.name}: the install starts without {names}; they may join later"
            draft.tell("cluster_installation_without_hosts", words, severity=Severity.WARNING)
        for host in draft.records.hosts.values():
            draft.put_host(msgspec.structs.replace(host, late=not host.approved))

    return change


def complete_install(cluster_id: str, completion: Completion) -> Change:
    def change(draft: Draft) -> None:
        cluster = cluster_of(draft.records, cluster_id)
        if completion.is_success and cluster.status is ClusterStatus.INSTALLED:
            return
        on = ClusterEvent.COMPLETED if completion.is_success else ClusterEvent.FAILED
        moved = fire_cluster(on, draft.records, draft.watches, draft.now, completion.error_info)
        if moved is None:
            raise Conflict(
                code="cluster-not-finalizing",
                title=f"Cluster {cluster.asked.name} is {cluster.status}, not finalizing: {cluster.status_info}",
            )
        draft.put_cluster(moved)
        if not completion.is_success:
            draft.tell("cluster_installation_failed", completion.error_info, severity=Severity.CRITICAL)
        elif completion.error_info:
            words = f"Manifests could not be applied: {completion.error_info}"
            draft.tell("cluster_manifests_failed", words, severity=Severity.ERROR)

    return change
