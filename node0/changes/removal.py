"""Removal of clusters, infra-envs and hosts, unless a running install needs them."""

from __future__ import annotations

import msgspec

from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.cluster import BEFORE, FINAL
from node0.state_machine.host import FINAL as HOST_FINAL
from node0.state_machine.host import RESETTING
from node0.store.records import HostRecord


def remove_cluster(cluster_id: str) -> Change:
    """Hosts that are not installed stay, for another cluster; their approval ends."""

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        if cluster.status not in BEFORE | FINAL:
            raise Conflict(
                code="cluster-is-installing",
                title=f"Cluster {cluster.spec.name} is {cluster.status}: it cannot be removed.",
            )
        transaction.drop_cluster()
        transaction.put_manifests()
        transaction.put_hosts(
            *(_released(host) for host in transaction.records.hosts.values() if host.status.is_before_install)
        )
        transaction.add_event("cluster_deregistered", f"Deregistered cluster {cluster.spec.name}")

    return change


def _released(host: HostRecord) -> HostRecord:
    return msgspec.structs.replace(host, approved=False)


def remove_infra_env(infra_env_id: str) -> Change:
    def change(transaction: Transaction) -> None:
        infra_env = transaction.records.get_infra_env(infra_env_id)
        if transaction.records.hosts:
            names = ", ".join(host.label for host in transaction.records.hosts.values())
            raise Conflict(code="infra-env-has-hosts", title=f"Infra-env {infra_env.spec.name} has hosts: {names}.")
        transaction.drop_infra_env()
        transaction.add_event("infra_env_deregistered", f"Deregistered infra env {infra_env.spec.name}")

    return change


def remove_host(infra_env_id: str, host_id: str) -> Change:
    """Its tokens are refused from now on. An agent that still runs gets 401 and registers again."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if not host.status.is_before_install and host.status not in HOST_FINAL | RESETTING:
            raise Conflict(
                code="host-is-installing", title=f"Host {host.label} is {host.status}: it cannot be removed."
            )
        transaction.put_hosts(*(other for other in transaction.records.hosts.values() if other.id != host_id))
        transaction.add_event("host_deregistered", f"Host {host.label}: deregistered", host=host)

    return change
