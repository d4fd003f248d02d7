"""Progress of the collection of logs, and their upload."""

from __future__ import annotations

import msgspec

from agent.model.states import LogsState
from node0.reconcile.transaction import Change, Transaction
from node0.store.records import LogsRecord


def report_logs(infra_env_id: str, host_id: str, state: LogsState) -> Change:
    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        started = transaction.now if state is LogsState.REQUESTED else host.logs.started_at
        logs = msgspec.structs.replace(host.logs, state=state, started_at=started)
        transaction.put_host(msgspec.structs.replace(host, logs=logs, updated_at=transaction.now))

    return change


def host_logs_uploaded(cluster_id: str, infra_env_id: str, host_id: str) -> Change:
    def change(transaction: Transaction) -> None:
        transaction.records.get_cluster(cluster_id)
        host = transaction.records.get_host(infra_env_id, host_id)
        updated = msgspec.structs.replace(host, logs=_collected(host.logs, transaction), updated_at=transaction.now)
        transaction.put_host(updated)
        transaction.add_event("host_logs_uploaded", f"Uploaded logs for host {host.label}", host=updated)

    return change


def controller_logs_uploaded(cluster_id: str) -> Change:
    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        logs = _collected(cluster.controller_logs, transaction)
        transaction.put_cluster(msgspec.structs.replace(cluster, controller_logs=logs, updated_at=transaction.now))
        transaction.add_event("cluster_logs_uploaded", "Uploaded logs for the cluster")

    return change


def _collected(logs: LogsRecord, transaction: Transaction) -> LogsRecord:
    return msgspec.structs.replace(logs, state=LogsState.COMPLETED, collected_at=transaction.now)
