"""Records as clients see them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from agent.api import resources as r
from agent.api.states import STAGES, HostStatus
from agent.api.steps import NtpReply
from agent.machine.clock import rfc3339
from node0.lifecycle import progress
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, Judged, Records
from node0.validations import disks

CLUSTER_PATH = "/api/assisted-install/v2/clusters"
INFRA_ENV_PATH = "/api/assisted-install/v2/infra-envs"


def time(moment: datetime | None) -> str:
    return rfc3339(moment) if moment else r.UNSET_TIME


def host(record: HostRecord, cluster: ClusterRecord | None) -> r.Host:
    disk = disks.installation_disk(record)
    return r.Host(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.infra_env_id}/hosts/{record.id}",
        infra_env_id=record.infra_env_id,
        cluster_id=cluster.id if cluster else "",
        status=record.status,
        status_info=record.status_info,
        status_updated_at=time(record.status_updated_at),
        role=record.role,
        suggested_role=record.suggested_role,
        bootstrap=record.bootstrap,
        approved=record.approved,
        requested_hostname=record.hostname,
        inventory=msgspec.json.encode(record.inventory).decode() if record.inventory else "",
        validations_info=validations_info(record.validations),
        ntp_sources=msgspec.json.encode(NtpReply(ntp_sources=record.ntp_sources).ntp_sources).decode(),
        progress=_progress(record),
        progress_stages=STAGES[record.install_role],
        installation_disk_path=disk.path if disk else "",
        installation_disk_id=disk.id if disk else "",
        registered_at=time(record.registered_at),
        created_at=time(record.created_at),
        updated_at=time(record.updated_at),
        discovery_agent_version=record.discovery_agent_version,
    )


def cluster(record: ClusterRecord, records: Records, *, with_hosts: bool) -> r.Cluster:
    asked = record.asked
    hosts = tuple(records.hosts.values())
    return r.Cluster(
        id=record.id,
        href=f"{CLUSTER_PATH}/{record.id}",
        name=asked.name,
        status=record.status,
        status_info=record.status_info,
        status_updated_at=time(record.status_updated_at),
        base_dns_domain=asked.base_dns_domain,
        openshift_version=asked.openshift_version,
        high_availability_mode=asked.high_availability_mode,
        control_plane_count=asked.control_plane_count,
        platform=asked.platform,
        cluster_networks=asked.cluster_networks,
        service_networks=asked.service_networks,
        machine_networks=asked.machine_networks,
        ssh_public_key=asked.ssh_public_key,
        validations_info=validations_info(record.validations),
        progress=progress.of_cluster(record, hosts),
        hosts=tuple(host(item, record) for item in hosts) if with_hosts else (),
        total_host_count=len(hosts),
        enabled_host_count=sum(item.approved for item in hosts),
        ready_host_count=sum(item.status is HostStatus.KNOWN for item in hosts),
        created_at=time(record.created_at),
        updated_at=time(record.updated_at),
        install_started_at=time(record.install_started_at),
        install_completed_at=time(record.install_completed_at),
    )


def infra_env(record: InfraEnvRecord) -> r.InfraEnv:
    asked = record.asked
    return r.InfraEnv(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.id}",
        name=asked.name,
        cluster_id=asked.cluster_id,
        openshift_version=asked.openshift_version,
        ssh_authorized_key=asked.ssh_authorized_key,
        rendezvous_ip=asked.rendezvous_ip,
        created_at=time(record.created_at),
        updated_at=time(record.created_at),
    )


def validations_info(judged: Iterable[Judged]) -> str:
    """JSON: category → verdicts, sorted by id."""
    categories: dict[str, list[r.Validation]] = {}
    for item in sorted(judged, key=lambda item: item.validation.id):
        categories.setdefault(item.category, []).append(item.validation)
    return msgspec.json.encode(categories).decode()


def _progress(record: HostRecord) -> r.HostProgress:
    if record.stage is None:
        return r.HostProgress()
    return r.HostProgress(
        installation_percentage=progress.of_host(record),
        current_stage=record.stage.stage,
        progress_info=record.stage.info,
        stage_started_at=time(record.stage.started_at),
        stage_updated_at=time(record.stage.updated_at),
    )
