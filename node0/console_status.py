"""node0's view of the cluster as a file, for the consoles of node0 itself."""

from __future__ import annotations

from agent.model.host_documents import ClusterStatusFile, HostLine
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from node0.state_machine import progress
from node0.store.records import HostRecord, Records


def view(records: Records, trouble: Problem | None) -> ClusterStatusFile | None:
    """None while there is no cluster. `trouble`: what keeps the service from writing."""
    cluster = records.cluster
    if cluster is None:
        return None
    return ClusterStatusFile(
        name=cluster.asked.name,
        status=cluster.status,
        status_info=cluster.status_info,
        hosts=tuple(_line(host) for host in records.hosts.values()),
        problems=(trouble.report(),) if trouble else (),
    )


def not_started(intent: ClusterIntent, problem: Problem) -> ClusterStatusFile:
    """What keeps the service from starting."""
    words = "node0's service does not start."
    return ClusterStatusFile(name=intent.name, status="unknown", status_info=words, problems=(problem.report(),))


def _line(host: HostRecord) -> HostLine:
    if host.stage is None or not (host.status.is_installing):
        return HostLine(name=host.label, status=host.status, detail=host.status_info)
    info = f", {host.stage.info}" if host.stage.info else ""
    return HostLine(name=host.label, status=host.status, detail=f"{host.stage.stage} ({progress.of_host(host)}%{info})")
