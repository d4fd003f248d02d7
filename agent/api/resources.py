"""Clusters, infra-envs, hosts and events on the wire: the fields of assisted-service's schemas that we fill.

Times are RFC 3339 with milliseconds and Z; a time that is not set is `UNSET_TIME`, never null. `validations_info`,
`inventory` and `ntp_sources` are JSON documents inside strings, as clients expect.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from agent.api.intent import Role, RootDeviceHints
from agent.api.parts import (
    ClusterName,
    ControlPlaneCount,
    DiskEncryption,
    HostPrefix,
    HostStaticNetwork,
    ImageInfo,
    ImageType,
    KernelArgument,
    Preparation,
    Proxy,
    Vip,
)
from agent.api.states import ClusterStatus, HostStatus, LogsState, NetworkType, Severity, Stage, ValidationStatus

UNSET_TIME = "0001-01-01T00:00:00.000Z"


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict inside `validations_info`, which maps a category to a list of these. `remedy` is our addition."""

    id: str
    status: ValidationStatus
    message: str
    remedy: str = ""


class HostProgress(msgspec.Struct, frozen=True, kw_only=True):
    """`current_stage` is a `Stage`, or empty before the first."""

    installation_percentage: int = 0
    current_stage: str = ""
    progress_info: str = ""
    stage_started_at: str = UNSET_TIME
    stage_updated_at: str = UNSET_TIME


ON_TIME, LATE = "Host", "AddToExistingClusterHost"


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A host of an infra-env. `cluster_id` is only there while the host is bound.

    Of what it has answered, `connectivity` (a `ConnectivityReport`), `images_status` (`ImageStatus`, several),
    `domain_name_resolutions` (a `DomainReply`) and `disks_info` (path of a disk → `DiskInfo`) are JSON, or empty.
    `connectivity` is left out inside a cluster, and in lists where it is not wanted: it is the longest by far.
    `skip_formatting_disks`: names joined by commas. `node_labels`: a JSON object, or empty.

    `approved` is our addition: only approved hosts are installed. `kind` is upstream's word: LATE for a host that came
    after the install had started.
    """

    id: str
    href: str
    infra_env_id: str
    status: HostStatus
    status_info: str
    cluster_id: str | msgspec.UnsetType = msgspec.UNSET
    kind: str = ON_TIME
    status_updated_at: str = UNSET_TIME
    role: Role = Role.AUTO_ASSIGN
    suggested_role: Role = Role.AUTO_ASSIGN
    bootstrap: bool = False
    approved: bool = False
    requested_hostname: str = ""
    inventory: str = ""
    connectivity: str = ""
    validations_info: str = "{}"
    ntp_sources: str = ""
    domain_name_resolutions: str = ""
    images_status: str = ""
    disks_info: str = ""
    media_status: str = "connected"
    progress: HostProgress = HostProgress()
    progress_stages: tuple[Stage, ...] = ()
    stage_started_at: str = UNSET_TIME
    stage_updated_at: str = UNSET_TIME
    installation_disk_path: str = ""
    installation_disk_id: str = ""
    skip_formatting_disks: str = ""
    node_labels: str = ""
    checked_in_at: str = UNSET_TIME
    registered_at: str = UNSET_TIME
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME
    discovery_agent_version: str = ""
    timestamp: int = 0
    ignition_config_overrides: str = ""
    installer_args: str = ""
    logs_info: LogsState = LogsState.NONE
    logs_started_at: str = UNSET_TIME
    logs_collected_at: str = UNSET_TIME


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


class InfraEnv(msgspec.Struct, frozen=True, kw_only=True):
    """`static_network_config` and `kernel_arguments` are JSON documents inside strings."""

    id: str
    href: str
    name: str
    kind: str = "InfraEnv"
    type: ImageType = ImageType.FULL_ISO
    cluster_id: str = ""
    openshift_version: str = ""
    cpu_architecture: str = "x86_64"
    ssh_authorized_key: str = ""
    pull_secret_set: bool = False
    proxy: Proxy = Proxy()
    additional_ntp_sources: str = ""
    static_network_config: str = ""
    ignition_config_override: str = ""
    kernel_arguments: str = ""
    additional_trust_bundle: str = ""
    rendezvous_ip: str = ""
    download_url: str = ""
    expires_at: str = UNSET_TIME
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME


class InfraEnvCreate(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition, as for a cluster."""

    name: str
    pull_secret: str = '{"auths":{}}'
    id: str = ""
    cluster_id: str = ""
    openshift_version: str = ""
    cpu_architecture: str = "x86_64"
    image_type: ImageType = ImageType.FULL_ISO
    ssh_authorized_key: str = ""
    proxy: Proxy = Proxy()
    additional_ntp_sources: str = ""
    static_network_config: tuple[HostStaticNetwork, ...] = ()
    ignition_config_override: str = ""
    kernel_arguments: tuple[KernelArgument, ...] = ()
    additional_trust_bundle: str = ""
    rendezvous_ip: str = ""


class HostRegister(msgspec.Struct, frozen=True, kw_only=True):
    """`boot_id`, our addition: of the machine's present start. What was told since that still holds."""

    host_id: str
    discovery_agent_version: str = ""
    boot_id: Annotated[str, msgspec.Meta(max_length=64)] = ""


class NextStepRunner(msgspec.Struct, frozen=True, kw_only=True):
    """`args` is exactly one JSON document: {infra_env_id, host_id, agent_version}."""

    command: str
    args: tuple[str]
    retry_seconds: int = 60


class HostRegistration(Host, frozen=True, kw_only=True):
    """The whole host, and `token`, our addition: the host-bound token that every later call needs."""

    next_step_runner_command: NextStepRunner
    token: str


class DiskSelection(msgspec.Struct, frozen=True, kw_only=True):
    """`role`: install or none."""

    id: str
    role: str = "install"


class DiskSkipFormatting(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the disk, by any of its names, is to stay as it is."""

    disk_id: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    skip_formatting: bool


class NodeLabel(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    value: str


class HostUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Body of PATCH host; only the fields present change. `approved` and `root_device_hints` are our additions.

    A disk in `disks_selected_config` is asked for by name, and counts before hints. `disks_skip_formatting` changes
    the disks that it names, and no other. `node_labels` are all that the node is to have beside those of the inputs.
    """

    host_role: Role | msgspec.UnsetType = msgspec.UNSET
    host_name: str | msgspec.UnsetType = msgspec.UNSET
    disks_selected_config: tuple[DiskSelection, ...] | msgspec.UnsetType = msgspec.UNSET
    disks_skip_formatting: tuple[DiskSkipFormatting, ...] | msgspec.UnsetType = msgspec.UNSET
    node_labels: tuple[NodeLabel, ...] | msgspec.UnsetType = msgspec.UNSET
    root_device_hints: RootDeviceHints | msgspec.UnsetType = msgspec.UNSET
    approved: bool | msgspec.UnsetType = msgspec.UNSET


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition: increasing without gaps, so that a reader knows where it stopped. `props` is JSON.

    request_id: the header X-Request-ID of the request that caused it, and of its answer; empty where none did.
    """

    id: int
    name: str
    severity: Severity
    message: str
    event_time: str
    category: str = "user"
    cluster_id: str = ""
    infra_env_id: str = ""
    host_id: str = ""
    request_id: str = ""
    props: str = ""


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `error`, for every status but 401 and 403. `problem` is our addition: the stable code."""

    code: str
    reason: str
    id: int
    kind: str = "Error"
    href: str = ""
    problem: str = ""


class InfraErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `infra_error`, for 401 and 403. `problem` is our addition: the stable code."""

    code: int
    message: str
    problem: str = ""
