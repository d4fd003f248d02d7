"""The cluster and the infra-env as clients see them."""

from __future__ import annotations

from typing import Any

import msgspec

from agent.api.clusters import Cidr, Cluster, ClusterCreate, Preparation
from agent.api.infra_envs import InfraEnv
from agent.model.states import HostStatus
from node0.changes.ignored_validations import as_json
from node0.rest.views.hosts import INFRA_ENV_PATH
from node0.rest.views.parts import timestamp, validations_info
from node0.state_machine import progress
from node0.store.records import ClusterRecord, InfraEnvRecord, Records

CLUSTER_PATH = "/api/assisted-install/v2/clusters"


def cluster_view(record: ClusterRecord, records: Records) -> Cluster:
    """Without its hosts."""
    asked = record.asked
    hosts = tuple(records.hosts.values())
    return Cluster(
        id=record.id,
        href=f"{CLUSTER_PATH}/{record.id}",
        name=asked.name,
        status=record.status,
        status_info=record.status_info,
        status_updated_at=timestamp(record.status_updated_at),
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
        controller_logs_started_at=timestamp(record.controller_logs.started_at),
        controller_logs_collected_at=timestamp(record.controller_logs.collected_at),
        validations_info=validations_info(record.validations),
        progress=progress.of_cluster(record, hosts),
        total_host_count=len(hosts),
        enabled_host_count=sum(item.approved for item in hosts),
        ready_host_count=sum(item.status is HostStatus.KNOWN for item in hosts),
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
        install_started_at=timestamp(record.install_started_at),
        install_completed_at=timestamp(record.install_completed_at),
    )


def _networks(asked: ClusterCreate) -> dict[str, Any]:
    """All networks of each kind, and the first of each for older clients."""
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


def infra_env_view(record: InfraEnvRecord) -> InfraEnv:
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
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
    )


def _as_json(items: tuple[msgspec.Struct, ...]) -> str:
    return msgspec.json.encode(items).decode() if items else ""
