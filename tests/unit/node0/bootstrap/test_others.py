"""The hosts that node0 waits for before it reboots."""

from __future__ import annotations

import msgspec
import pytest

from agent.model.intent import Role
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus
from node0.bootstrap.others import waited_for
from node0.rest.views.clusters import cluster_view
from node0.rest.views.hosts import host_view
from tests.fakes.node0.records import HOST_ID, cluster, host, site

C, H = ClusterStatus, HostStatus


def waiting(status: ClusterStatus, role: Role, at: HostStatus, *, late: bool = False) -> list[str]:
    """The names of the hosts that node0 waits for, in a cluster with one other host."""
    other = host(at, id="other", role=role, suggested_role=role, requested_hostname="beta", late=late)
    records = site(host(H.INSTALLING_IN_PROGRESS, bootstrap=True), other)
    hosts = tuple(host_view(record, records.cluster) for record in records.hosts.values())
    return waited_for(msgspec.structs.replace(cluster_view(cluster(status), records), hosts=hosts), HOST_ID)


@pytest.mark.parametrize("role", [Role.MASTER, Role.WORKER])
def test_node0_waits_until_the_other_hosts_are_installed(role: Role) -> None:
    assert waiting(C.INSTALLING, role, H.INSTALLING_IN_PROGRESS) == ["beta"]
    assert waiting(C.INSTALLING, role, H.INSTALLED) == []
    assert waiting(C.INSTALLING, role, H.INSTALLING, late=True) == []


def test_a_failed_control_plane_joins_while_node0_is_live_and_a_failed_worker_may_join_later() -> None:
    assert waiting(C.INSTALLING_PENDING_USER_ACTION, Role.MASTER, H.ERROR) == ["beta"]
    assert waiting(C.INSTALLING_PENDING_USER_ACTION, Role.WORKER, H.ERROR) == []


def test_a_failed_cluster_ends_the_wait() -> None:
    with pytest.raises(Problem, match="The install failed"):
        waiting(C.ERROR, Role.MASTER, H.ERROR)
