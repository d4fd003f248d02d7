"""Records as clients see them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from agent.api.clusters import Cidr, Cluster, ClusterCreate, Preparation
from agent.api.hosts import LATE, ON_TIME, Host, HostProgress, ValidationResult
from agent.api.infra_envs import InfraEnv
from agent.api.steps import NtpReply
from agent.api.timestamps import UNSET_TIME, rfc3339
from agent.model.states import STAGES, HostStatus
from node0.changes.ignored_validations import as_json
from node0.rest import reported
from node0.state_machine import progress
from node0.store.records import ClusterRecord, Evaluated, HostRecord, InfraEnvRecord, Records
from node0.validations.host.disks import disk_selection

CLUSTER_PATH = "/api/assisted-install/v2/clusters"
INFRA_ENV_PATH = "/api/assisted-install/v2/infra-envs"


def time(moment: datetime | None) -> str:
    return rfc3339(moment) if moment else UNSET_TIME


def host(
    record: HostRecord,
    cluster: ClusterRecord | None,
    *,
    heard: datetime | None = None,
    with_connectivity: bool = False,
) -> Host:
    """`heard`: when it last called, which is not stored: most calls change nothing."""
    disk = disk_selection.installation_disk(record)
    reached = _progress(record)
    return Host(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.infra_env_id}/hosts/{record.id}",
        infra_env_id=record.infra_env_id,
        cluster_id=cluster.id if cluster and record.bound else msgspec.UNSET,
        kind=LATE if record.late else ON_TIME,
        status=record.status,
        status_info=record.status_info,
        status_updated_at=time(record.status_updated_at),
        role=record.role,
        suggested_role=record.suggested_role,
        bootstrap=record.bootstrap,
        approved=record.approved,
        requested_hostname=record.hostname,
        checked_in_at=time(heard),
        inventory=msgspec.json.encode(record.inventory).decode() if record.inventory else "",
        connectivity=reported.connectivity(record) if with_connectivity else "",
        domain_name_resolutions=reported.resolutions(record),
        images_status=reported.images(record),
        disks_info=reported.disks(record),
        media_status="connected" if record.media_connected else "disconnected",
        validations_info=validations_info(record.validations),
        ntp_sources=msgspec.json.encode(NtpReply(ntp_sources=record.ntp_sources).ntp_sources).decode(),
        progress=reached,
        progress_stages=STAGES[record.install_role],
        stage_started_at=reached.stage_started_at,
        stage_updated_at=reached.stage_updated_at,
        installation_disk_path=disk.path if disk else "",
        installation_disk_id=disk.id if disk else "",
        skip_formatting_disks=",".join(record.untouched_disks),
        node_labels=msgspec.json.encode(record.node_labels).decode() if record.node_labels else "",
        registered_at=time(record.registered_at),
        created_at=time(record.created_at),
        updated_at=time(record.updated_at),
        discovery_agent_version=record.discovery_agent_version,
        ignition_config_overrides=record.ignition_override,
        installer_args=msgspec.json.encode(record.installer_args).decode() if record.installer_args else "",
        logs_info=record.logs.state,
        logs_started_at=time(record.logs.started_at),
        logs_collected_at=time(record.logs.collected_at),
    )


def cluster(record: ClusterRecord, records: Records) -> Cluster:
    """Without its hosts."""
    asked = record.asked
    hosts = tuple(records.hosts.values())
    return Cluster(
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
        **_networks(asked),
        user_managed_networking=asked.user_managed_networking,
        vip_dhcp_allocation=asked.vip_dhcp_allocation,
        http_proxy=asked.http_proxy,
        https_proxy=asked.https_proxy,
        no_proxy=asked.no_proxy,
        additional_ntp_source=asked.additional_ntp_source,
        schedulable_masters=asked.schedulable_masters,
        hyperthreading=asked.hyperthreading,
        cpu_architecture=asked.cpu_architecture,
        tags=asked.tags,
        pull_secret_set=bool(asked.pull_secret),
        ssh_public_key=asked.ssh_public_key,
        ignored_host_validations=as_json(record.ignored_host_validations),
        ignored_cluster_validations=as_json(record.ignored_cluster_validations),
        install_config_overrides=record.install_config_overrides,
        last_installation_preparation=_preparation(record),
        logs_info=record.controller_logs.state,
        controller_logs_started_at=time(record.controller_logs.started_at),
        controller_logs_collected_at=time(record.controller_logs.collected_at),
        validations_info=validations_info(record.validations),
        progress=progress.of_cluster(record, hosts),
        total_host_count=len(hosts),
        enabled_host_count=sum(item.approved for item in hosts),
        ready_host_count=sum(item.status is HostStatus.KNOWN for item in hosts),
        created_at=time(record.created_at),
        updated_at=time(record.updated_at),
        install_started_at=time(record.install_started_at),
        install_completed_at=time(record.install_completed_at),
    )


def _networks(asked: ClusterCreate) -> dict[str, Any]:
    """The lists, and the first of each as older clients read it."""
    pods = asked.cluster_networks[0] if asked.cluster_networks else None
    return {
        "cluster_networks": asked.cluster_networks,
        "service_networks": asked.service_networks,
        "machine_networks": asked.machine_networks,
        "api_vips": asked.api_vips,
        "ingress_vips": asked.ingress_vips,
        "network_type": asked.network_type,
        "cluster_network_cidr": pods.cidr if pods else msgspec.UNSET,
        "cluster_network_host_prefix": pods.host_prefix if pods else msgspec.UNSET,
        "service_network_cidr": _first(asked.service_networks),
        "machine_network_cidr": _first(asked.machine_networks),
    }


def _first(networks: tuple[Cidr, ...]) -> str | msgspec.UnsetType:
    return networks[0].cidr if networks else msgspec.UNSET


def _preparation(record: ClusterRecord) -> Preparation:
    return Preparation(status="success" if record.install_started_at else "not_started")


def infra_env(record: InfraEnvRecord) -> InfraEnv:
    asked = record.asked
    return InfraEnv(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.id}",
        name=asked.name,
        type=asked.image_type,
        cluster_id=asked.cluster_id,
        openshift_version=asked.openshift_version,
        cpu_architecture=asked.cpu_architecture,
        ssh_authorized_key=asked.ssh_authorized_key,
        pull_secret_set=bool(asked.pull_secret),
        proxy=asked.proxy,
        additional_ntp_sources=asked.additional_ntp_sources,
        static_network_config=_as_json(asked.static_network_config),
        ignition_config_override=asked.ignition_config_override,
        kernel_arguments=_as_json(asked.kernel_arguments),
        additional_trust_bundle=asked.additional_trust_bundle,
        rendezvous_ip=asked.rendezvous_ip,
        created_at=time(record.created_at),
        updated_at=time(record.updated_at),
    )


def _as_json(items: tuple[msgspec.Struct, ...]) -> str:
    return msgspec.json.encode(items).decode() if items else ""


def validations_info(judged: Iterable[Evaluated]) -> str:
    """JSON: category → verdicts, sorted by id."""
    categories: dict[str, list[ValidationResult]] = {}
    for item in sorted(judged, key=lambda item: item.result.id):
        categories.setdefault(item.category, []).append(item.result)
    return msgspec.json.encode(categories).decode()


def _progress(record: HostRecord) -> HostProgress:
    if record.stage is None:
        return HostProgress()
    return HostProgress(
        installation_percentage=progress.of_host(record),
        current_stage=record.stage.stage,
        progress_info=record.stage.info,
        stage_started_at=time(record.stage.started_at),
        stage_updated_at=time(record.stage.updated_at),
    )
