"""Contents of the files that one of our programs on a host writes and another reads, all JSON.

`agent.model.host_paths` says where each file is; docs/design/boot.md, which program writes it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agent.model.payload import PayloadManifest
from agent.model.problems import ProblemReport
from agent.model.states import InstallRole


class ImageVersion(msgspec.Struct, frozen=True, kw_only=True):
    """The part of `release.json` that programs on a host read."""

    version: str = ""
    build_id: str = ""


class ImagePayload(ImageVersion, frozen=True, kw_only=True):
    """For programs that need the Kubernetes of the image, too."""

    payload: PayloadManifest


class HostMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Which host of the intent this machine is. `index` -1: none; `why`: what decided it, with MACs.

    `names`: the user's logical interface name → the real one. `problems`: what prevented a match.
    """

    index: int
    why: str
    seen_macs: tuple[str, ...] = ()
    names: dict[str, str] = {}
    problems: tuple[ProblemReport, ...] = ()


class DeviceReport(msgspec.Struct, frozen=True, kw_only=True):
    """One device as NetworkManager and the kernel see it. `reason`: NetworkManager's, when it is not `activated`."""

    interface: str
    state: str
    reason: str = ""
    addresses: tuple[str, ...] = ()


class NetworkReport(msgspec.Struct, frozen=True, kw_only=True):
    devices: tuple[DeviceReport, ...] = ()
    problems: tuple[ProblemReport, ...] = ()


class AgentPhase(StrEnum):
    """Where a host's agent is, for the console."""

    UNCONFIGURED = "unconfigured"
    ALREADY_INSTALLED = "already installed"
    WAITING_FOR_NODE0 = "waiting for node0"
    REGISTERED = "registered"
    INSTALLING = "installing"
    REBOOTING = "rebooting"
    INSTALLED = "installed"
    FAILED = "failed"


class AgentStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What the console shows of this host. `detail`: the stage and its percentage, or what is waited for.
    `node0`: which host is to have the rendezvous address, or which may get it. `conflicts`: of addresses,
    in every phase."""

    phase: AgentPhase
    hostname: str = ""
    addresses: tuple[str, ...] = ()
    rendezvous_ip: str = ""
    node0: str = ""
    is_node0: bool = False
    detail: str = ""
    problems: tuple[ProblemReport, ...] = ()
    conflicts: tuple[ProblemReport, ...] = ()


class HostLine(msgspec.Struct, frozen=True, kw_only=True):
    """One host in node0's view. `detail`: stage and percentage, or the failing checks."""

    name: str
    status: str
    detail: str = ""


class ClusterStatusFile(msgspec.Struct, frozen=True, kw_only=True):
    """node0's view of the cluster, written by its service for the consoles of node0. `problems`: of the service."""

    name: str
    status: str
    status_info: str
    hosts: tuple[HostLine, ...] = ()
    problems: tuple[ProblemReport, ...] = ()


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """Written by the install into the installed system: what this host is. `boot_device`: the disk's path then."""

    cluster_id: str
    infra_env_id: str
    host_id: str
    role: InstallRole
    boot_device: str


class BootstrapResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the bootstrap ended; `problem` is null when it succeeded."""

    problem: ProblemReport | None = None
