"""The metrics, computed from the records for each request.

Names are those of assisted-service where it has the same metric.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from aiohttp import web

from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.reconcile.budget import BUDGET_SECONDS, Budget
from node0.reconcile.state_manager import StateManager
from node0.rest.metrics.latency import Latencies
from node0.rest.metrics.prometheus import Family, Histogram, Sample, render
from node0.store.records import ClusterRecord, Records

Latency = Mapping[tuple[str, str, int], Histogram]
"""(operation, method, status) → histogram."""

PREFIX = "service_assisted_installer_"


def route(state_manager: StateManager, latencies: Latencies) -> web.RouteDef:
    async def metrics(_request: web.Request) -> web.Response:
        is_writable = state_manager.store_problem is None
        text = render(
            families(
                state_manager.records,
                is_writable=is_writable,
                budget=state_manager.budget,
                seconds=latencies.seconds,
            )
        )
        return web.Response(text=text, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    return web.get("/metrics", metrics, allow_head=False)


def families(records: Records, *, is_writable: bool, budget: Budget, seconds: Latency) -> Iterator[Family]:
    """`is_writable`: the database can be written. `budget`: how long changes took. `seconds`: of requests."""
    yield Family(f"{PREFIX}hosts", "gauge", "Hosts by status", tuple(_hosts(records)))
    yield Family(f"{PREFIX}cluster_status", "gauge", "1 for the status the cluster has", tuple(_statuses(records)))
    yield Family(f"{PREFIX}validations", "gauge", "Validations by id and verdict", tuple(_validations(records)))
    stages, outcome = tuple(_stages(records)), tuple(_outcome(records.cluster))
    yield Family(f"{PREFIX}host_installation_phase_seconds", "histogram", "How long hosts took, by stage", stages)
    yield Family(f"{PREFIX}cluster_installation_seconds", "gauge", "How long the install took, by result", outcome)
    writable = (Sample({}, is_writable),)
    yield Family("cluster0_store_writable", "gauge", "1 while the database can be written", writable)
    longest, exceeded = (Sample({}, budget.longest),), (Sample({}, budget.exceeded),)
    yield Family("cluster0_longest_change_seconds", "gauge", "The longest time that a change blocked requests", longest)
    yield Family("cluster0_changes_over_budget_total", "counter", f"Changes above {BUDGET_SECONDS:g} s", exceeded)
    yield Family(
        "http_request_duration_seconds", "histogram", "How long requests took, by handler and code", _requests(seconds)
    )


def _hosts(records: Records) -> Iterator[Sample]:
    counts = Counter(host.status for host in records.hosts.values())
    for status in HostStatus:
        yield Sample({"status": status}, counts[status])


def _statuses(records: Records) -> Iterator[Sample]:
    if records.cluster is not None:
        for status in ClusterStatus:
            yield Sample({"status": status}, records.cluster.status is status)


def _validations(records: Records) -> Iterator[Sample]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for host in records.hosts.values():
        counts.update(("host", item.result.id, item.result.status) for item in host.validations)
    if records.cluster is not None:
        counts.update(("cluster", item.result.id, item.result.status) for item in records.cluster.validations)
    for (scope, id, status), count in sorted(counts.items()):
        yield Sample({"scope": scope, "id": id, "status": status}, count)


def _stages(records: Records) -> Iterator[Sample]:
    histograms: defaultdict[Stage, Histogram] = defaultdict(Histogram)
    for host in records.hosts.values():
        for done in host.stages_done:
            histograms[done.stage].observe(done.seconds)
    for stage, histogram in histograms.items():
        yield Sample({"phase": stage, "result": "success"}, histogram)


def _outcome(cluster: ClusterRecord | None) -> Iterator[Sample]:
    if cluster is None or cluster.install_started_at is None or not cluster.status.is_final:
        return
    ended = cluster.install_completed_at or cluster.status_updated_at
    yield Sample({"result": cluster.status}, (ended - cluster.install_started_at).total_seconds())


def _requests(seconds: Latency) -> tuple[Sample, ...]:
    return tuple(
        Sample({"service": "assisted-service", "handler": operation, "method": method, "code": str(status)}, histogram)
        for (operation, method, status), histogram in sorted(seconds.items())
    )
