"""Clusters, infra-envs, hosts and events on the wire: the fields of assisted-service's schemas that we fill.

Times are RFC 3339 with milliseconds and Z; a time that is not set is `UNSET_TIME`, never null. `validations_info`,
`inventory` and `ntp_sources` are JSON documents inside strings, as clients expect.
"""

from __future__ import annotations

import msgspec

from agent.api.intent import Role
from agent.api.states import ClusterStatus, HostStatus, Severity, Stage, ValidationStatus

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


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A host of an infra-env. `approved` is our addition: only approved hosts are installed."""

    id: str
    href: str
    infra_env_id: str
    cluster_id: str
    status: HostStatus
    status_info: str
    kind: str = "Host"
    status_updated_at: str = UNSET_TIME
    role: Role = Role.AUTO_ASSIGN
    suggested_role: Role = Role.AUTO_ASSIGN
    bootstrap: bool = False
    approved: bool = False
    requested_hostname: str = ""
    inventory: str = ""
    validations_info: str = "{}"
    ntp_sources: str = ""
    progress: HostProgress = HostProgress()
    progress_stages: tuple[Stage, ...] = ()
    installation_disk_path: str = ""
    installation_disk_id: str = ""
    checked_in_at: str = UNSET_TIME
    registered_at: str = UNSET_TIME
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME
    discovery_agent_version: str = ""
    timestamp: int = 0


class ClusterProgress(msgspec.Struct, frozen=True, kw_only=True):
    total_percentage: int = 0
    preparing_for_installation_stage_percentage: int = 0
    installing_stage_percentage: int = 0
    finalizing_stage_percentage: int = 0


class PlatformType(msgspec.Struct, frozen=True, kw_only=True):
    type: str = "none"


class ClusterNetworkEntry(msgspec.Struct, frozen=True, kw_only=True):
    cidr: str
    host_prefix: int


class Cidr(msgspec.Struct, frozen=True, kw_only=True):
    cidr: str


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
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
    ssh_public_key: str = ""
    validations_info: str = "{}"
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

    name: str
    openshift_version: str
    pull_secret: str = '{"auths":{}}'
    id: str = ""
    base_dns_domain: str = ""
    high_availability_mode: str = "Full"
    control_plane_count: int = 1
    platform: PlatformType = PlatformType()
    cluster_networks: tuple[ClusterNetworkEntry, ...] = ()
    service_networks: tuple[Cidr, ...] = ()
    machine_networks: tuple[Cidr, ...] = ()
    ssh_public_key: str = ""
    additional_ntp_source: str = ""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """How an install ended. `error_info`: the reason when it failed."""

    is_success: bool
    error_info: str = ""


class InfraEnv(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    href: str
    name: str
    kind: str = "InfraEnv"
    type: str = "full-iso"
    cluster_id: str = ""
    openshift_version: str = ""
    ssh_authorized_key: str = ""
    rendezvous_ip: str = ""
    created_at: str = UNSET_TIME
    updated_at: str = UNSET_TIME


class InfraEnvCreate(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    pull_secret: str = '{"auths":{}}'
    id: str = ""
    cluster_id: str = ""
    openshift_version: str = ""
    ssh_authorized_key: str = ""
    rendezvous_ip: str = ""


class HostRegister(msgspec.Struct, frozen=True, kw_only=True):
    host_id: str
    discovery_agent_version: str = ""


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


class HostUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Body of PATCH host; only the fields present change. `approved` is our addition."""

    host_role: Role | msgspec.UnsetType = msgspec.UNSET
    host_name: str | msgspec.UnsetType = msgspec.UNSET
    disks_selected_config: tuple[DiskSelection, ...] | msgspec.UnsetType = msgspec.UNSET
    approved: bool | msgspec.UnsetType = msgspec.UNSET


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition: increasing without gaps, so that a reader knows where it stopped. `props` is JSON."""

    id: int
    name: str
    severity: Severity
    message: str
    event_time: str
    category: str = "user"
    cluster_id: str = ""
    infra_env_id: str = ""
    host_id: str = ""
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
