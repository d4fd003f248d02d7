"""Records for tests of the rules: a cluster of one host that is good enough, and ways to spoil it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from agent.api.checks import DiskSpeedReply, ImageStatus
from agent.api.clusters import Cidr, ClusterCreate, ClusterNetworkEntry
from agent.api.infra_envs import InfraEnvCreate
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.store.records import ClusterRecord, DiskSpeed, HostRecord, InfraEnvRecord, Records, StageRecord
from tests.fakes.agent.agent import inventory

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
CLUSTER_ID = "11111111-1111-4111-8111-111111111111"
INFRA_ENV_ID = "22222222-2222-4222-8222-222222222222"
HOST_ID = "33333333-3333-4333-8333-333333333333"

SPEC = ClusterCreate(
    id=CLUSTER_ID,
    name="demo",
    openshift_version="v1.20.2",
    base_dns_domain="example.test",
    cluster_networks=(ClusterNetworkEntry(cidr="10.244.0.0/16", host_prefix=24),),
    service_networks=(Cidr(cidr="10.96.0.0/12"),),
    machine_networks=(Cidr(cidr="127.0.0.0/8"),),
)


def host(status: HostStatus = HostStatus.KNOWN, *, id: str = HOST_ID, **changes: Any) -> HostRecord:
    """A host with an inventory, role master and approval."""
    record = HostRecord(
        id=id,
        infra_env_id=INFRA_ENV_ID,
        status=status,
        status_info="",
        status_updated_at=NOW,
        created_at=NOW,
        registered_at=NOW,
        updated_at=NOW,
        role=Role.MASTER,
        approved=True,
        inventory=inventory(),
        clock_offset=0,
    )
    return msgspec.structs.replace(record, **changes)


PREPARED: dict[str, Any] = {
    "images": (ImageStatus(name="pause", result="success"),),
    "user_checks": (),
    "disk_speed": DiskSpeed(path="/dev/vda", reply=DiskSpeedReply(path="/dev/vda", io_sync_duration=2)),
}
"""What a host has answered when its install has been prepared: `host(**PREPARED)`."""


def cluster(status: ClusterStatus = ClusterStatus.INSUFFICIENT, spec: ClusterCreate = SPEC) -> ClusterRecord:
    return ClusterRecord(
        id=CLUSTER_ID,
        spec=spec,
        status=status,
        status_info="",
        status_updated_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )


def at_stage(stage: Stage, info: str = "") -> StageRecord:
    return StageRecord(stage=stage, info=info, started_at=NOW, updated_at=NOW)


def site(
    *hosts: HostRecord, status: ClusterStatus = ClusterStatus.INSUFFICIENT, rendezvous_ip: str = "127.0.0.1"
) -> Records:
    """A registered cluster and infra-env with these hosts."""
    spec = InfraEnvCreate(id=INFRA_ENV_ID, name="demo", cluster_id=CLUSTER_ID, rendezvous_ip=rendezvous_ip)
    return Records(
        cluster=cluster(status),
        infra_env=InfraEnvRecord(id=INFRA_ENV_ID, spec=spec, created_at=NOW, updated_at=NOW),
        hosts={host.id: host for host in hosts},
    )
