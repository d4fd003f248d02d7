"""Which hosts a change affects."""

from __future__ import annotations

import msgspec
import pytest

from agent.model.states import ClusterStatus
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.store.host_diff import diff_hosts
from tests.fakes.node0.records import cluster, host, site

HOSTS = tuple(host(id=id) for id in ("a", "b", "c"))


@pytest.mark.parametrize(
    ("status", "affected"),
    [
        (ClusterStatus.READY, set()),
        (ClusterStatus.PENDING_FOR_INPUT, set()),
        (ClusterStatus.PREPARING_FOR_INSTALLATION, {"a", "b", "c"}),
        (ClusterStatus.INSTALLING, {"a", "b", "c"}),
    ],
)
def test_the_status_of_the_cluster_affects_hosts_once_the_install_is_requested(
    status: ClusterStatus, affected: set[str]
) -> None:
    records = site(*HOSTS)
    cache = EvaluationCache()
    before = cache.update(records, diff_hosts({}, records.hosts))
    cache.affected_hosts(before, {})
    cache.update(msgspec.structs.replace(before, cluster=cluster(status)), {})
    assert cache.affected_hosts(before, {}) == affected
