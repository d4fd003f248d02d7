"""Instructions and their replies: the envelope between service and agent."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from agent.model.bounds import Name
from agent.model.states import InstallRole, Stage


class StepType(StrEnum):
    """`USER_CHECKS` is our addition."""

    INVENTORY = "inventory"
    CONNECTIVITY_CHECK = "connectivity-check"
    FREE_NETWORK_ADDRESSES = "free-network-addresses"
    NTP_SYNCHRONIZER = "ntp-synchronizer"
    DOMAIN_RESOLUTION = "domain-resolution"
    VERIFY_VIPS = "verify-vips"
    INSTALLATION_DISK_SPEED_CHECK = "installation-disk-speed-check"
    CONTAINER_IMAGE_AVAILABILITY = "container-image-availability"
    USER_CHECKS = "user-checks"
    INSTALL = "install"
    STOP_INSTALLATION = "stop-installation"
    LOGS_GATHER = "logs-gather"


# The agent does not know the step, or does not understand its arguments. Source: assisted-installer-agent.
NOT_UNDERSTOOD = -1

# The step could not run because the medium that the host was booted from does not answer.
MEDIA_DISCONNECTED = 256


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """`step_id` is "<step_type>-<8 hex digits>"; `args` are strings, JSON documents among them.

    `step_type` is a `StepType`, or one that only a newer service knows: it is answered, not choked on.
    """

    step_type: str
    step_id: str
    args: tuple[str, ...] = ()


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    """`next_instruction_seconds`: pause before the next GET (0: at once). `post_step_action`: continue or exit."""

    instructions: tuple[Step, ...] = ()
    next_instruction_seconds: int = 60
    post_step_action: str = "continue"


class StepReply(msgspec.Struct, frozen=True, kw_only=True):
    """`output` is the step's JSON result, `error` the text of what went wrong."""

    step_type: str
    step_id: str
    exit_code: int = 0
    output: str = ""
    error: str = ""


class NtpSource(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`source_state`: synced, combined, not_combined, error, variable or unreachable."""

    source_name: Name
    source_state: Name


class NtpReply(msgspec.Struct, frozen=True, kw_only=True):
    ntp_sources: Annotated[tuple[NtpSource, ...], Meta(max_length=64)] = ()


class InstallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The one argument of the install step; a subset of upstream's `install_cmd_request`.

    `boot_device`: id of the disk to install to, as in the inventory: paths change from one start to the next.
    """

    cluster_id: str
    infra_env_id: str
    host_id: str
    role: InstallRole
    boot_device: str
    control_plane_count: int = 1


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Body of PUT …/progress. `progress_info` is free text, for example "37%"."""

    current_stage: Stage
    progress_info: str = ""
