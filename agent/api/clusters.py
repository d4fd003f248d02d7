"""Clusters on the wire: the fields of assisted-service's schemas that we fill, and the bodies that change them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agent.api.hosts import Host
from agent.api.timestamps import UNSET_TIME
from agent.model.states import ClusterStatus, LogsState, NetworkType

ClusterName = Annotated[str, msgspec.Meta(min_length=1, max_length=54)]
ControlPlaneCount = Annotated[int, msgspec.Meta(ge=1, le=5)]
HostPrefix = Annotated[int, msgspec.Meta(ge=1, le=128)]


class Vip(msgspec.Struct, frozen=True, kw_only=True):
    """`verification`: unverified, failed or succeeded."""

    ip: str
    verification: str = "unverified"


class ImageInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Clients require it. `create image` makes the ISO, so its kind is all that the service knows."""

    type: str = "full-iso"


class DiskEncryption(msgspec.Struct, frozen=True, kw_only=True):
    """Clients read it. No disk is encrypted here."""

    enable_on: str = "none"
    mode: str = "tpmv2"


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """`status`: not_started, failed or success."""

    status: str = "not_started"
    reason: str = ""


class ClusterProgress(msgspec.Struct, frozen=True, kw_only=True):
    total_percentage: int = 0
    preparing_for_installation_stage_percentage: int = 0
    installing_stage_percentage: int = 0
    finalizing_stage_percentage: int = 0


class PlatformType(msgspec.Struct, frozen=True, kw_only=True):
    type: str = "none"


class ClusterNetworkEntry(msgspec.Struct, frozen=True, kw_only=True):
    cidr: str
    host_prefix: HostPrefix


class Cidr(msgspec.Struct, frozen=True, kw_only=True):
    cidr: str


class Cluster(
    msgspec.Struct, frozen=True, kw_only=True, rename={"last_installation_preparation": "last-installation-preparation"}
):
    """`cluster_network_cidr` and the other single fields repeat the first of their lists, for older clients."""

    id: str
    href: str
    name: str
    status: ClusterStatus
    status_info: str
    kind: str = "Cluster"
    status_updated_at: str = UNSET_TIME
    base_dns_domain: str = ""
    openshift_version: str = ""
    high_availability_mode: str = "Full"
    control_plane_count: int = 1
    platform: PlatformType = PlatformType()
    cluster_networks: tuple[ClusterNetworkEntry, ...] = ()
    service_networks: tuple[Cidr, ...] = ()
    machine_networks: tuple[Cidr, ...] = ()
    cluster_network_cidr: str | msgspec.UnsetType = msgspec.UNSET
    cluster_network_host_prefix: int | msgspec.UnsetType = msgspec.UNSET
    service_network_cidr: str | msgspec.UnsetType = msgspec.UNSET
    machine_network_cidr: str | msgspec.UnsetType = msgspec.UNSET
    api_vips: tuple[Vip, ...] = ()
    ingress_vips: tuple[Vip, ...] = ()
    network_type: NetworkType = NetworkType.NONE
    user_managed_networking: bool = True
    vip_dhcp_allocation: bool = False
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""
    additional_ntp_source: str = ""
    schedulable_masters: bool = False
    hyperthreading: str = "all"
    cpu_architecture: str = "x86_64"
    disk_encryption: DiskEncryption = DiskEncryption()
    monitored_operators: tuple[()] = ()
    tags: str = ""
    pull_secret_set: bool = False
    image_info: ImageInfo = ImageInfo()
    ssh_public_key: str = ""
    validations_info: str = "{}"
    ignored_host_validations: str = ""
    ignored_cluster_validations: str = ""
    install_config_overrides: str = ""
    last_installation_preparation: Preparation = Preparation()
    logs_info: LogsState = LogsState.NONE
    controller_logs_started_at: str = UNSET_TIME
    controller_logs_collected_at: str = UNSET_TIME
    progress: ClusterProgress = ClusterProgress()
    hosts: tuple[Host, ...] = ()
    total_host_count: int = 0
    ready_host_count: int = 0
    enabled_host_count: int = 0
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME
    install_started_at: str = UNSET_TIME
    install_completed_at: str = UNSET_TIME


class ClusterCreate(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition: the driver gives the id that `create image` made, so that a repeat changes nothing.

    `additional_ntp_source`: names or addresses, separated by commas.
    """

    name: ClusterName
    openshift_version: str
    pull_secret: str = '{"auths":{}}'
    id: str = ""
    base_dns_domain: str = ""
    high_availability_mode: str = "Full"
    control_plane_count: ControlPlaneCount = 1
    platform: PlatformType = PlatformType()
    cluster_networks: tuple[ClusterNetworkEntry, ...] = ()
    service_networks: tuple[Cidr, ...] = ()
    machine_networks: tuple[Cidr, ...] = ()
    api_vips: tuple[Vip, ...] = ()
    ingress_vips: tuple[Vip, ...] = ()
    network_type: NetworkType = NetworkType.NONE
    user_managed_networking: bool = True
    vip_dhcp_allocation: bool = False
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""
    schedulable_masters: bool = False
    hyperthreading: str = "all"
    cpu_architecture: str = "x86_64"
    tags: str = ""
    ssh_public_key: str = ""
    additional_ntp_source: str = ""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """How an install ended. `error_info`: why it failed, or which manifests could not be applied."""

    is_success: bool
    error_info: str = ""
