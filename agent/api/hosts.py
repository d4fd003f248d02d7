"""Hosts on the wire: the fields of assisted-service's schemas that we fill, and the bodies that change them.

`inventory`, `validations_info` and `ntp_sources` are JSON documents inside strings, as clients expect.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from agent.api.timestamps import UNSET_TIME
from agent.model.intent import Role, RootDeviceHints
from agent.model.inventory import Inventory
from agent.model.states import HostStatus, LogsState, Stage, ValidationStatus


class ValidationResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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
    `connectivity` is left out inside a cluster, and in lists on request: it is the longest by far.
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

    def decode_inventory(self) -> Inventory | None:
        """None until the host has sent one."""
        return msgspec.json.decode(self.inventory, type=Inventory) if self.inventory else None


class HostRegister(msgspec.Struct, frozen=True, kw_only=True):
    """Our additions: `boot_id` of the machine's current boot, since which its reports still hold; `hostname`, which
    names the host until its inventory has come."""

    host_id: str
    discovery_agent_version: str = ""
    boot_id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    hostname: Annotated[str, msgspec.Meta(max_length=253)] = ""


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

    A disk in `disks_selected_config` is requested by name, which overrides hints. `disks_skip_formatting` changes
    the disks that it names, and no other. `node_labels` are all labels of the node in addition to those of the inputs.
    """

    host_role: Role | msgspec.UnsetType = msgspec.UNSET
    host_name: str | msgspec.UnsetType = msgspec.UNSET
    disks_selected_config: tuple[DiskSelection, ...] | msgspec.UnsetType = msgspec.UNSET
    disks_skip_formatting: tuple[DiskSkipFormatting, ...] | msgspec.UnsetType = msgspec.UNSET
    node_labels: tuple[NodeLabel, ...] | msgspec.UnsetType = msgspec.UNSET
    root_device_hints: RootDeviceHints | msgspec.UnsetType = msgspec.UNSET
    approved: bool | msgspec.UnsetType = msgspec.UNSET
