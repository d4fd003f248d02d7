"""The cluster that the user described, checked and complete: `/etc/cluster0/cluster.json` in the live image.

Everything in here is public. Keys, tokens and pull secrets travel in files of their own, mode 0600.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from agent.model.network import NetworkModel


class Role(StrEnum):
    """Upstream's names for what a host becomes."""

    MASTER = "master"
    WORKER = "worker"
    AUTO_ASSIGN = "auto-assign"


class InterfaceIntent(msgspec.Struct, frozen=True, kw_only=True):
    """A NIC the user listed: logical `name`, permanent `mac` (lower case, colons)."""

    name: str
    mac: str


class RootDeviceHints(msgspec.Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """Which disk to install to; what is empty is no hint, and all others must fit (`agent.model.disk_choice`).

    `device_name`: /dev/… or /dev/disk/by-path/…; `min_size_gigabytes` decimal.
    """

    device_name: str = ""
    hctl: str = ""
    model: str = ""
    vendor: str = ""
    serial_number: str = ""
    min_size_gigabytes: int = 0
    wwn: str = ""
    rotational: bool | None = None


class Taint(msgspec.Struct, frozen=True, kw_only=True):
    """A taint of a node, as Kubernetes has it."""

    key: str
    effect: str
    value: str = ""


class HostIntent(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `hosts:`. `consent_to_wipe`: the chosen disk may be overwritten with any data on it.

    `node_labels`, `node_taints`: of its Kubernetes node, in addition to those of its role.
    `kernel_arguments`: of the installed system, in addition to those of the live one.
    """

    hostname: str
    role: Role
    interfaces: tuple[InterfaceIntent, ...]
    network: NetworkModel
    root_device_hints: RootDeviceHints = RootDeviceHints()
    consent_to_wipe: bool = False
    node_labels: dict[str, str] = {}
    node_taints: tuple[Taint, ...] = ()
    kernel_arguments: tuple[str, ...] = ()


class ClusterNetwork(msgspec.Struct, frozen=True, kw_only=True):
    """Pod network: `cidr`, and the prefix length of each node's share of it."""

    cidr: str
    host_prefix: int


class Platform(StrEnum):
    NONE = "none"
    BAREMETAL = "baremetal"


class KubeadmPatches(msgspec.Struct, frozen=True, kw_only=True):
    """Merged into kubeadm's kinds (RFC 7386). `extraArgs` are mappings, in every version of the kinds."""

    cluster_configuration: dict[str, Any] = {}
    kubelet_configuration: dict[str, Any] = {}
    kube_proxy_configuration: dict[str, Any] = {}


class ClusterIntent(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster and its hosts. Ids are lower-case UUIDs made by `create image`.

    `api_address`: where the Kubernetes API answers, an IP address: the VIP, or the rendezvous address.
    `service_lifetime_minutes`: how long node0's service runs after the install.
    `worker_wait_minutes`: how long the install waits for workers once the control plane is ready; None: it does
    not start without them.
    `created_at`: RFC 3339, the build's own clock; a host whose clock is earlier than this has a wrong clock.
    """

    schema: int = 1
    cluster_id: str
    infra_env_id: str
    name: str
    base_domain: str
    created_at: str
    rendezvous_ip: str
    api_address: str
    platform: Platform
    control_plane_replicas: int
    worker_replicas: int
    cluster_networks: tuple[ClusterNetwork, ...]
    service_networks: tuple[str, ...]
    machine_networks: tuple[str, ...]
    ssh_keys: tuple[str, ...]
    ntp_sources: tuple[str, ...]
    hosts: tuple[HostIntent, ...]
    ssh_enabled: bool = True
    service_lifetime_minutes: int = 60
    worker_wait_minutes: int | None = None
    kubeadm: KubeadmPatches = KubeadmPatches()

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain}"
