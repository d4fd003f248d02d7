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
    """The cluster as the API returns it, without its hosts."""
    spec = record.spec
    hosts = tuple(records.hosts.values())
    return Cluster(
        id=record.id,
        href=f"{CLUSTER_PATH}/{record.id}",
        name=spec.name,
        status=record.status,
        status_info=record.status_info,
        status_updated_at=timestamp(record.status_updated_at),
        base_dns_domain=spec.base_dns_domain,
        openshift_version=spec.openshift_version,
        high_availability_mode=spec.high_availability_mode,
        control_plane_count=spec.control_plane_count,
        platform=spec.platform,
        **_networks(spec),
        user_managed_networking=spec.user_managed_networking,
        vip_dhcp_allocation=spec.vip_dhcp_allocation,
        http_proxy=spec.http_proxy,
        https_proxy=spec.https_proxy,
        no_proxy=spec.no_proxy,
        additional_ntp_source=spec.additional_ntp_source,
        schedulable_masters=spec.schedulable_masters,
        hyperthreading=spec.hyperthreading,
        cpu_architecture=spec.cpu_architecture,
        tags=spec.tags,
        pull_secret_set=bool(spec.pull_secret),
        ssh_public_key=spec.ssh_public_key,
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


def _networks(spec: ClusterCreate) -> dict[str, Any]:
    """All networks of each kind, and the first of each for older clients."""
    pods = spec.cluster_networks[0] if spec.cluster_networks else None
    return {
        "cluster_networks": spec.cluster_networks,
        "service_networks": spec.service_networks,
        "machine_networks": spec.machine_networks,
        "api_vips": spec.api_vips,
        "ingress_vips": spec.ingress_vips,
        "network_type": spec.network_type,
        "cluster_network_cidr": pods.cidr if pods else msgspec.UNSET,
        "cluster_network_host_prefix": pods.host_prefix if pods else msgspec.UNSET,
        "service_network_cidr": _first(spec.service_networks),
        "machine_network_cidr": _first(spec.machine_networks),
    }


def _first(networks: tuple[Cidr, ...]) -> str | msgspec.UnsetType:
    return networks[0].cidr if networks else msgspec.UNSET


def _preparation(record: ClusterRecord) -> Preparation:
    return Preparation(status="success" if record.install_started_at else "not_started")


def infra_env_view(record: InfraEnvRecord) -> InfraEnv:
    spec = record.spec
    return InfraEnv(
        id=record.id,
        href=f"{INFRA_ENV_PATH}/{record.id}",
        name=spec.name,
        type=spec.image_type,
        cluster_id=spec.cluster_id,
        openshift_version=spec.openshift_version,
        cpu_architecture=spec.cpu_architecture,
        ssh_authorized_key=spec.ssh_authorized_key,
        pull_secret_set=bool(spec.pull_secret),
        proxy=spec.proxy,
        additional_ntp_sources=spec.additional_ntp_sources,
        static_network_config=_as_json(spec.static_network_config),
        ignition_config_override=spec.ignition_config_override,
        kernel_arguments=_as_json(spec.kernel_arguments),
        additional_trust_bundle=spec.additional_trust_bundle,
        rendezvous_ip=spec.rendezvous_ip,
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
    )


def _as_json(items: tuple[msgspec.Struct, ...]) -> str:
    return msgspec.json.encode(items).decode() if items else ""
