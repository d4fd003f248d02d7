"""Metrics as Prometheus reads them, made from the records when they are asked for. Names: assisted-service's where it
has one for the same thing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from aiohttp import web

from agent.api.states import ClusterStatus, HostStatus, Stage
from node0.conductor import Conductor
from node0.rest.latency import Latencies
from node0.rest.prometheus import Family, Histogram, Sample, render
from node0.store.records import ClusterRecord, Records

PREFIX = "service_assisted_installer_"


def route(conductor: Conductor, latencies: Latencies) -> web.RouteDef:
    async def metrics(_request: web.Request) -> web.Response:
        text = render([*families(conductor.records), _writable(conductor), _requests(latencies)])
        return web.Response(text=text, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    return web.get("/metrics", metrics, allow_head=False)


def families(records: Records) -> Iterator[Family]:
    """What the records say."""
    yield Family(f"{PREFIX}hosts", "gauge", "Hosts by status", tuple(_hosts(records)))
    yield Family(f"{PREFIX}cluster_status", "gauge", "1 for the status the cluster has", tuple(_statuses(records)))
    yield Family(f"{PREFIX}validations", "gauge", "Validations by verdict", tuple(_validations(records)))
    stages, outcome = tuple(_stages(records)), tuple(_outcome(records.cluster))
    yield Family(f"{PREFIX}host_installation_phase_seconds", "histogram", "How long hosts took for a stage", stages)
    yield Family(f"{PREFIX}cluster_installation_seconds", "gauge", "How long the install took", outcome)


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
        counts.update(("host", item.validation.id, item.validation.status) for item in host.validations)
    if records.cluster is not None:
        counts.update(("cluster", item.validation.id, item.validation.status) for item in records.cluster.validations)
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


def _writable(conductor: Conductor) -> Family:
    words = "1 while the database can be written"
    return Family("cluster0_store_writable", "gauge", words, (Sample({}, conductor.trouble is None),))


def _requests(latencies: Latencies) -> Family:
    samples = tuple(
        Sample({"service": "assisted-service", "handler": operation, "method": method, "code": str(status)}, histogram)
        for (operation, method, status), histogram in sorted(latencies.seconds.items())
    )
    return Family("http_request_duration_seconds", "histogram", "How long requests took", samples)
