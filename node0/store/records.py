"""What is stored: a record for the cluster, the infra-env and each host. Times are aware, in UTC; None: not yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from agent.api.checks import (
    ConnectivityReport,
    DiskSpeedReply,
    FreeAddresses,
    ImageStatus,
    Resolution,
    UserVerdict,
    VipCheck,
)
from agent.api.clusters import ClusterCreate
from agent.api.hosts import ValidationResult
from agent.api.infra_envs import InfraEnvCreate
from agent.api.steps import NtpSource
from agent.model.intent import Role, RootDeviceHints
from agent.model.inventory import Inventory
from agent.model.states import ClusterStatus, HostStatus, InstallRole, LogsState, Stage
from node0.refusals import NotFound


class Evaluated(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A validation's verdict, the category it is shown under, and what it keeps from happening (`Gate`)."""

    category: str
    gate: str
    result: ValidationResult = msgspec.field(name="validation")  # the key in databases of earlier releases


class StageRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The stage a host has reached. `info` is the agent's free text."""

    stage: Stage
    info: str
    started_at: datetime
    updated_at: datetime


class JoinRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The host's join credential: the public part of it. `is_used`: the node has its certificate.

    `enters_etcd_until`: how long a control plane's turn to enter etcd lasts, once it has been given. `votes`: it has
    entered. A host has no record before its first credential, and again when its install starts over.
    """

    token_id: str
    expires_at: datetime
    is_used: bool = False
    enters_etcd_until: datetime | None = None
    votes: bool = False


class StageTime(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A stage that a host has left, and how many seconds it took."""

    stage: Stage
    seconds: float


class LogsRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How far the collection of logs is, since when, and when the last ones came."""

    state: LogsState = LogsState.NONE
    started_at: datetime | None = None
    collected_at: datetime | None = None


class DiskSpeed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The disk `path` was measured, or could not be: then `error` says why."""

    path: str
    reply: DiskSpeedReply | None = None
    error: str = ""


class HostRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A registered host.

    boot_id, starts: of the live start that registered last, and when it and the last few before it did; empty for an
    agent that does not report it.
    registered_name: its host name then; empty for an agent that does not report it, and for a localhost.
    untouched_disks: names of disks that must stay as they are.
    node_labels: of its Kubernetes node, in addition to those of the inputs.
    requested_disk: a name of the disk (a path, by-path or by-id link); empty: root_device_hints decide.
    clock_offset: the host's clock minus node0's in seconds, None until it has reported it.
    bound: false keeps the host out of the cluster. late: it registered after the install had started without
    it, and nothing waits for it. token_id: of the one host token that is accepted; empty: any.
    peers: ids of the hosts that it has to reach.
    unreachable: peers that its connectivity report does not get an echo from.
    connectivity, resolutions, disk_speed, images, user_checks: what it last reported, None until it has.
    """

    id: str
    infra_env_id: str
    status: HostStatus
    status_info: str
    status_updated_at: datetime
    created_at: datetime
    registered_at: datetime
    updated_at: datetime
    discovery_agent_version: str = ""
    role: Role = Role.AUTO_ASSIGN
    suggested_role: Role = Role.AUTO_ASSIGN
    bootstrap: bool = False
    approved: bool = False
    requested_hostname: str = ""
    boot_id: str = ""
    registered_name: str = ""
    starts: tuple[datetime, ...] = ()
    requested_disk: str = ""
    untouched_disks: tuple[str, ...] = ()
    node_labels: dict[str, str] = {}
    root_device_hints: RootDeviceHints = RootDeviceHints()
    inventory: Inventory | None = None
    ntp_sources: tuple[NtpSource, ...] = ()
    clock_offset: int | None = None
    media_connected: bool = True
    peers: tuple[str, ...] = ()
    connectivity: ConnectivityReport | None = None
    unreachable: tuple[str, ...] = ()
    free_addresses: tuple[FreeAddresses, ...] = ()
    resolutions: tuple[Resolution, ...] | None = None
    vips: tuple[VipCheck, ...] = ()
    disk_speed: DiskSpeed | None = None
    images: tuple[ImageStatus, ...] | None = None
    user_checks: tuple[UserVerdict, ...] | None = None
    stage: StageRecord | None = None
    join: JoinRecord | None = None
    stages_done: tuple[StageTime, ...] = ()
    bound: bool = True
    late: bool = False
    token_id: str = ""
    ignition_override: str = ""
    installer_args: tuple[str, ...] = ()
    logs: LogsRecord = LogsRecord()
    validations: tuple[Evaluated, ...] = ()

    @property
    def hostname(self) -> str:
        """The name of its node: the requested one, else the one it reports; may be empty."""
        return self.requested_hostname or (self.inventory.hostname if self.inventory else "")

    @property
    def unreported_peers(self) -> tuple[str, ...]:
        """Ids of peers that its connectivity report does not contain yet."""
        reported = {remote.host_id for remote in self.connectivity.remote_hosts} if self.connectivity else set()
        return tuple(peer for peer in self.peers if peer not in reported)

    @property
    def label(self) -> str:
        """Its name in messages: the host name, which it registered with at first, or the id while it has none."""
        return self.hostname or self.registered_name or self.id

    @property
    def effective_role(self) -> Role:
        return self.suggested_role if self.role is Role.AUTO_ASSIGN else self.role

    @property
    def is_control_plane(self) -> bool:
        """False while the role is not known: the host may become a worker."""
        return self.effective_role is Role.MASTER

    @property
    def install_role(self) -> InstallRole:
        if self.bootstrap:
            return InstallRole.BOOTSTRAP
        return InstallRole.MASTER if self.is_control_plane else InstallRole.WORKER


class ClusterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster. `id` is in `spec.id` too, where the client gave it.

    ignored_host_validations, ignored_cluster_validations: ids of the validations that the user ignores.
    install_config_overrides: a JSON object.
    """

    id: str
    spec: ClusterCreate
    status: ClusterStatus
    status_info: str
    status_updated_at: datetime
    created_at: datetime
    updated_at: datetime
    install_started_at: datetime | None = None
    install_completed_at: datetime | None = None
    install_config_overrides: str = ""
    ignored_host_validations: tuple[str, ...] = ()
    ignored_cluster_validations: tuple[str, ...] = ()
    controller_logs: LogsRecord = LogsRecord()
    validations: tuple[Evaluated, ...] = ()


class InfraEnvRecord(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    spec: InfraEnvCreate
    created_at: datetime
    updated_at: datetime


class ManifestRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`folder`: manifests or openshift."""

    folder: str
    file_name: str
    content: bytes

    @property
    def id(self) -> str:
        return f"{self.folder}/{self.file_name}"


class Records(msgspec.Struct, frozen=True, kw_only=True):
    """Everything but the events: the service manages one cluster with one infra-env.

    hosts, manifests: by id. revoked: ids of tokens that are not accepted any more.
    """

    cluster: ClusterRecord | None = None
    infra_env: InfraEnvRecord | None = None
    hosts: dict[str, HostRecord] = {}
    manifests: dict[str, ManifestRecord] = {}
    revoked: frozenset[str] = frozenset()

    def with_hosts(self, changed: Mapping[str, HostRecord]) -> Records:
        """The records with the `changed` hosts, by id, replaced; the same object if none is changed."""
        return msgspec.structs.replace(self, hosts={**self.hosts, **changed}) if changed else self

    def get_cluster(self, cluster_id: str) -> ClusterRecord:
        """Raises `NotFound` (`cluster-unknown`)."""
        if self.cluster is None or self.cluster.id != cluster_id:
            raise NotFound(code="cluster-unknown", title=f"There is no cluster {cluster_id}.")
        return self.cluster

    def get_infra_env(self, infra_env_id: str) -> InfraEnvRecord:
        """Raises `NotFound` (`infra-env-unknown`)."""
        if self.infra_env is None or self.infra_env.id != infra_env_id:
            raise NotFound(code="infra-env-unknown", title=f"There is no infra-env {infra_env_id}.")
        return self.infra_env

    def get_host(self, infra_env_id: str, host_id: str) -> HostRecord:
        """Raises `NotFound` (`host-unknown`)."""
        host = self.hosts.get(host_id)
        if host is None or host.infra_env_id != infra_env_id:
            raise NotFound(code="host-unknown", title=f"There is no host {host_id} in infra-env {infra_env_id}.")
        return host

    def get_manifest(self, folder: str, file_name: str) -> ManifestRecord:
        """Raises `NotFound` (`manifest-unknown`)."""
        manifest = self.manifests.get(f"{folder}/{file_name}")
        if manifest is None:
            raise NotFound(code="manifest-unknown", title=f"There is no manifest {file_name} in folder {folder}.")
        return manifest
