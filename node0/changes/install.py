"""The install of the cluster: its start, and its end, which the driver reports."""

from __future__ import annotations

import msgspec

from agent.api.clusters import Completion
from agent.model.states import ClusterStatus, EventSeverity
from node0.reconcile.evaluate import fire_cluster
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.cluster import ClusterEvent


def start_install(cluster_id: str, without: tuple[str, ...] = ()) -> Change:
    """`without`: names of hosts of the inputs that the install does not wait for. Hosts not approved now are late."""

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        moved = fire_cluster(ClusterEvent.INSTALL_REQUESTED, transaction.records, transaction.timers, transaction.now)
        if moved is None:
            raise Conflict(
                code="cluster-not-ready",
                title=f"Cluster {cluster.spec.name} is {cluster.status}: {cluster.status_info}",
            )
        transaction.put_cluster(moved)
        transaction.add_event(
            "cluster_prepare_installation_started", f"Cluster {cluster.spec.name}: starting installation preparation"
        )
        if without:
            names = ", ".join(without)
            words = f"Cluster {cluster.spec.name}: the install starts without {names}; they may join later"
            transaction.add_event("cluster_installation_without_hosts", words, severity=EventSeverity.WARNING)
        for host in transaction.records.hosts.values():
            transaction.put_host(msgspec.structs.replace(host, late=not host.approved))

    return change


def complete_install(cluster_id: str, completion: Completion) -> Change:
    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        if completion.is_success and cluster.status is ClusterStatus.INSTALLED:
            return
        on = ClusterEvent.COMPLETED if completion.is_success else ClusterEvent.FAILED
        moved = fire_cluster(on, transaction.records, transaction.timers, transaction.now, completion.error_info)
        if moved is None:
            raise Conflict(
                code="cluster-not-finalizing",
                title=f"Cluster {cluster.spec.name} is {cluster.status}, not finalizing: {cluster.status_info}",
            )
        transaction.put_cluster(moved)
        if not completion.is_success:
            transaction.add_event("cluster_installation_failed", completion.error_info, severity=EventSeverity.CRITICAL)
        elif completion.error_info:
            words = f"Manifests could not be applied: {completion.error_info}"
            transaction.add_event("cluster_manifests_failed", words, severity=EventSeverity.ERROR)

    return change
