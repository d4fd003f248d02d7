"""Bodies of requests that change something: only the fields that are present change."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agent.api.clusters import Cidr, ClusterName, ClusterNetworkEntry, ControlPlaneCount, PlatformType, Vip
from agent.api.infra_envs import HostStaticNetwork, ImageType, KernelArgument, Proxy
from agent.model.states import LogsState, NetworkType

FileName = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class ClusterUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Body of PATCH cluster: the configuration of `ClusterCreate` but its version and architecture."""

    name: ClusterName | msgspec.UnsetType = msgspec.UNSET
    pull_secret: str | msgspec.UnsetType = msgspec.UNSET
    base_dns_domain: str | msgspec.UnsetType = msgspec.UNSET
    control_plane_count: ControlPlaneCount | msgspec.UnsetType = msgspec.UNSET
    platform: PlatformType | msgspec.UnsetType = msgspec.UNSET
    cluster_networks: tuple[ClusterNetworkEntry, ...] | msgspec.UnsetType = msgspec.UNSET
    service_networks: tuple[Cidr, ...] | msgspec.UnsetType = msgspec.UNSET
    machine_networks: tuple[Cidr, ...] | msgspec.UnsetType = msgspec.UNSET
    api_vips: tuple[Vip, ...] | msgspec.UnsetType = msgspec.UNSET
    ingress_vips: tuple[Vip, ...] | msgspec.UnsetType = msgspec.UNSET
    network_type: NetworkType | msgspec.UnsetType = msgspec.UNSET
    user_managed_networking: bool | msgspec.UnsetType = msgspec.UNSET
    vip_dhcp_allocation: bool | msgspec.UnsetType = msgspec.UNSET
    http_proxy: str | msgspec.UnsetType = msgspec.UNSET
    https_proxy: str | msgspec.UnsetType = msgspec.UNSET
    no_proxy: str | msgspec.UnsetType = msgspec.UNSET
    schedulable_masters: bool | msgspec.UnsetType = msgspec.UNSET
    hyperthreading: str | msgspec.UnsetType = msgspec.UNSET
    tags: str | msgspec.UnsetType = msgspec.UNSET
    ssh_public_key: str | msgspec.UnsetType = msgspec.UNSET
    additional_ntp_source: str | msgspec.UnsetType = msgspec.UNSET


class InfraEnvUpdate(msgspec.Struct, frozen=True, kw_only=True):
    pull_secret: str | msgspec.UnsetType = msgspec.UNSET
    openshift_version: str | msgspec.UnsetType = msgspec.UNSET
    image_type: ImageType | msgspec.UnsetType = msgspec.UNSET
    ssh_authorized_key: str | msgspec.UnsetType = msgspec.UNSET
    proxy: Proxy | msgspec.UnsetType = msgspec.UNSET
    additional_ntp_sources: str | msgspec.UnsetType = msgspec.UNSET
    static_network_config: tuple[HostStaticNetwork, ...] | msgspec.UnsetType = msgspec.UNSET
    ignition_config_override: str | msgspec.UnsetType = msgspec.UNSET
    kernel_arguments: tuple[KernelArgument, ...] | msgspec.UnsetType = msgspec.UNSET
    additional_trust_bundle: str | msgspec.UnsetType = msgspec.UNSET
    rendezvous_ip: str | msgspec.UnsetType = msgspec.UNSET


class ManifestCreate(msgspec.Struct, frozen=True, kw_only=True):
    """`content`: base64. `folder`: manifests or openshift."""

    file_name: FileName
    content: str
    folder: str = "manifests"


class ManifestUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """`updated_content`: base64."""

    folder: str
    file_name: FileName
    updated_folder: str | msgspec.UnsetType = msgspec.UNSET
    updated_file_name: FileName | msgspec.UnsetType = msgspec.UNSET
    updated_content: str | msgspec.UnsetType = msgspec.UNSET


class BindHost(msgspec.Struct, frozen=True, kw_only=True):
    cluster_id: str


class HostIgnition(msgspec.Struct, frozen=True, kw_only=True):
    """`config`: an Ignition config as text, merged over the one that the host gets; empty: none."""

    config: str = ""


class InstallerArgs(msgspec.Struct, frozen=True, kw_only=True):
    args: tuple[str, ...] = ()


class IgnoredValidations(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"host_validation_ids": "host-validation-ids", "cluster_validation_ids": "cluster-validation-ids"},
):
    """Each a JSON list of ids inside a string, `["all"]` among them; aicli sends the list itself."""

    host_validation_ids: str | tuple[str, ...] = ""
    cluster_validation_ids: str | tuple[str, ...] = ""


class LogsProgress(msgspec.Struct, frozen=True, kw_only=True):
    logs_state: LogsState


class Revocation(msgspec.Struct, frozen=True, kw_only=True):
    """`token`: the whole token that is not to be accepted any more. Our addition."""

    token: str
