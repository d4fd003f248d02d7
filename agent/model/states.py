"""Closed sets of the assisted-service v2 API: states, stages, roles and categories, with upstream's spelling.

Source: assisted-service, v2 REST API; the subset grows with our service.
"""

from __future__ import annotations

from enum import StrEnum


class HostStatus(StrEnum):
    DISCOVERING = "discovering"
    KNOWN = "known"
    DISCONNECTED = "disconnected"
    INSUFFICIENT = "insufficient"
    PENDING_FOR_INPUT = "pending-for-input"
    PREPARING_FOR_INSTALLATION = "preparing-for-installation"
    PREPARING_SUCCESSFUL = "preparing-successful"
    PREPARING_FAILED = "preparing-failed"
    INSTALLING = "installing"
    INSTALLING_IN_PROGRESS = "installing-in-progress"
    INSTALLING_PENDING_USER_ACTION = "installing-pending-user-action"
    INSTALLED = "installed"
    ERROR = "error"
    CANCELLED = "cancelled"
    RESETTING = "resetting"
    RESETTING_PENDING_USER_ACTION = "resetting-pending-user-action"

    @property
    def is_before_install(self) -> bool:
        return self in {
            HostStatus.DISCOVERING,
            HostStatus.KNOWN,
            HostStatus.DISCONNECTED,
            HostStatus.INSUFFICIENT,
            HostStatus.PENDING_FOR_INPUT,
        }

    @property
    def is_installing(self) -> bool:
        return self in {HostStatus.INSTALLING, HostStatus.INSTALLING_IN_PROGRESS}


class ClusterStatus(StrEnum):
    INSUFFICIENT = "insufficient"
    PENDING_FOR_INPUT = "pending-for-input"
    READY = "ready"
    PREPARING_FOR_INSTALLATION = "preparing-for-installation"
    INSTALLING = "installing"
    INSTALLING_PENDING_USER_ACTION = "installing-pending-user-action"
    FINALIZING = "finalizing"
    INSTALLED = "installed"
    ERROR = "error"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in {ClusterStatus.INSTALLED, ClusterStatus.ERROR, ClusterStatus.CANCELLED}


class Stage(StrEnum):
    """Host stages; the order for a role is in `STAGES`."""

    STARTING_INSTALLATION = "Starting installation"
    INSTALLING = "Installing"
    WRITING_IMAGE = "Writing image to disk"
    COPYING_REGISTRY_DATA = "Copying registry data to disk"
    WAITING_FOR_CONTROL_PLANE = "Waiting for control plane"
    WAITING_FOR_BOOTKUBE = "Waiting for bootkube"
    WAITING_FOR_CONTROLLER = "Waiting for controller"
    WAITING_FOR_IGNITION = "Waiting for ignition"
    REBOOTING = "Rebooting"
    CONFIGURING = "Configuring"
    JOINED = "Joined"
    DONE = "Done"
    FAILED = "Failed"


_WRITE = (Stage.STARTING_INSTALLATION, Stage.INSTALLING, Stage.WRITING_IMAGE)
_COPY = (Stage.COPYING_REGISTRY_DATA,)
_WAIT = (Stage.WAITING_FOR_CONTROL_PLANE, Stage.WAITING_FOR_BOOTKUBE, Stage.WAITING_FOR_CONTROLLER)
_BOOTED = (Stage.CONFIGURING, Stage.JOINED, Stage.DONE)


FROM_DISK = frozenset({Stage.REBOOTING, Stage.WAITING_FOR_IGNITION, *_BOOTED})
"""A host that has reached one of these has left the live image, or is about to."""


class InstallRole(StrEnum):
    """What a host does in this install; `bootstrap` is node0, a single node included."""

    BOOTSTRAP = "bootstrap"
    MASTER = "master"
    WORKER = "worker"


STAGES: dict[InstallRole, tuple[Stage, ...]] = {
    InstallRole.BOOTSTRAP: (*_WRITE, *_COPY, *_WAIT, Stage.REBOOTING, *_BOOTED),
    InstallRole.MASTER: (*_WRITE, *_COPY, Stage.REBOOTING, *_BOOTED),
    InstallRole.WORKER: (
        *_WRITE,
        Stage.WAITING_FOR_CONTROL_PLANE,
        Stage.REBOOTING,
        Stage.WAITING_FOR_IGNITION,
        *_BOOTED,
    ),
}


class ValidationStatus(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"
    DISABLED = "disabled"


class EventSeverity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class LogsState(StrEnum):
    """How far the collection of logs is; empty before a request."""

    NONE = ""
    REQUESTED = "requested"
    COLLECTING = "collecting"
    COMPLETED = "completed"
    TIMEOUT = "timeout"


class NetworkType(StrEnum):
    """Upstream's names for network plugins. `None`: one that the service does not need to know."""

    OPENSHIFT_SDN = "OpenShiftSDN"
    OVN_KUBERNETES = "OVNKubernetes"
    CISCO_ACI = "CiscoACI"
    CILIUM = "Cilium"
    CALICO = "Calico"
    NONE = "None"
