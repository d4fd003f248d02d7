"""How far the collection of logs is, and that they have come."""

from __future__ import annotations

import msgspec

from agent.model.states import LogsState
from node0.reconcile.state_manager import Change, Draft, cluster_of, host_of
from node0.store.records import LogsRecord


def report_logs(infra_env_id: str, host_id: str, state: LogsState) -> Change:
    def change(draft: Draft) -> None:
        host = host_of(draft.records, infra_env_id, host_id)
        started = draft.now if state is LogsState.REQUESTED else host.logs.started_at
        logs = msgspec.structs.replace(host.logs, state=state, started_at=started)
        draft.put_host(msgspec.structs.replace(host, logs=logs, updated_at=draft.now))

    return change


def host_logs_came(cluster_id: str, infra_env_id: str, host_id: str) -> Change:
    def change(draft: Draft) -> None:
        cluster_of(draft.records, cluster_id)
        host = host_of(draft.records, infra_env_id, host_id)
        updated = msgspec.structs.replace(host, logs=_collected(host.logs, draft), updated_at=draft.now)
        draft.put_host(updated)
        draft.tell("host_logs_uploaded", f"Uploaded logs for host {host.label}", host=updated)

    return change


def controller_logs_came(cluster_id: str) -> Change:
    def change(draft: Draft) -> None:
        cluster = cluster_of(draft.records, cluster_id)
        logs = _collected(cluster.controller_logs, draft)
        draft.put_cluster(msgspec.structs.replace(cluster, controller_logs=logs, updated_at=draft.now))
        draft.tell("cluster_logs_uploaded", "Uploaded logs for the cluster")

    return change


def _collected(logs: LogsRecord, draft: Draft) -> LogsRecord:
    return msgspec.structs.replace(logs, state=LogsState.COMPLETED, collected_at=draft.now)
