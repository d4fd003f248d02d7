"""The inputs of a lab's cluster: the user's own, or two YAML files made up for a topology when there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agent.model.problems import Problem
from vm_harness.lab import hosts, manifests
from vm_harness.lab.hosts import DEFAULT_ROUTES, ROOT_DISK, Host
from vm_harness.lab.topologies import Topology

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"
PODS_AND_SERVICES = {
    4: {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]},
    6: {"clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": 64}], "serviceNetwork": ["fd02::/112"]},
}
"""By the version of the machine network's addresses."""
_LEASES = {
    "leader-elect-lease-duration": "120s", "leader-elect-renew-deadline": "90s", "leader-elect-retry-period": "15s",
}  # fmt: skip
PATIENT = {
    "clusterConfiguration": {
        # By its own profile, an idle API server of 1.20 spends two thirds of its CPU on statistics of its priorities.
        "apiServer": {"extraArgs": {"etcd-count-metric-poll-period": "0", "enable-priority-and-fairness": "false"}},
        "etcd": {"local": {"extraArgs": {"heartbeat-interval": "1000", "election-timeout": "10000"}}},
        "controllerManager": {"extraArgs": {**_LEASES, "node-monitor-grace-period": "160s"}},
        "scheduler": {"extraArgs": {**_LEASES}},
    },
    "kubeletConfiguration": {"nodeStatusUpdateFrequency": "40s", "nodeLeaseDurationSeconds": 160},
}
"""Hosts that share one computer's cores: a pause of seconds is no reason to elect another leader, or to end one, or to
take a host for lost."""
LINE = 1000
"""Longer than an SSH key, which nobody wants to read folded."""


def are_present(directory: Path) -> bool:
    both = (directory / INSTALL_CONFIG).exists() and (directory / AGENT_CONFIG).exists()
    return both or manifests.are_present(directory)


def read(directory: Path) -> tuple[Host, ...]:
    """The machines that the inputs in `directory` ask for. Raises `Problem` as `hosts.read` does."""
    if manifests.are_present(directory):
        return hosts.read_manifests(directory)
    return hosts.read(directory / AGENT_CONFIG)


def write(directory: Path, topology: Topology, ssh_public_key: str) -> None:
    """Make up both files.

    Raises `Problem` (`inputs-incomplete`) when one is there already: half of them is somebody's work.
    """
    present = [name for name in (INSTALL_CONFIG, AGENT_CONFIG) if (directory / name).exists()]
    if present:
        missing = {INSTALL_CONFIG, AGENT_CONFIG} - set(present)
        raise Problem(
            code="inputs-incomplete", title=f"{directory} has {present[0]}, but no {missing.pop()}",
            remedy="Write the other one, too, or remove it: then the lab makes up both.",
        )  # fmt: skip
    for name, document in (
        (INSTALL_CONFIG, install_config(topology, ssh_public_key)),
        (AGENT_CONFIG, agent_config(topology)),
    ):
        (directory / name).write_text(yaml.safe_dump(document, sort_keys=False, width=LINE))


def install_config(topology: Topology, ssh_public_key: str) -> dict[str, Any]:
    """The cluster, in the field's own format."""
    return {
        "apiVersion": "v1",
        "baseDomain": topology.domain,
        "metadata": {"name": topology.name},
        "controlPlane": {"name": "master", "replicas": topology.masters},
        "compute": [{"name": "worker", "replicas": topology.workers}],
        "networking": {
            **PODS_AND_SERVICES[topology.gateway.version],
            "machineNetwork": [{"cidr": str(topology.gateway.network)}],
        },
        "platform": _platform(topology),
        "kubernetes": PATIENT,
        "sshKey": ssh_public_key,
    }


def agent_config(topology: Topology) -> dict[str, Any]:
    """The hosts, in the field's own format: `node0` first, then the other masters, then the workers."""
    roles = ["master"] * topology.masters + ["worker"] * topology.workers
    return {
        "apiVersion": "v1beta1",
        "kind": "AgentConfig",
        "metadata": {"name": topology.name},
        "rendezvousIP": str(topology.gateway.network[topology.first_host]),
        "kernelArguments": list(topology.kernel_arguments),
        "hosts": [_host(topology, number, role) for number, role in enumerate(roles)],
    }


def _platform(topology: Topology) -> dict[str, Any]:
    if topology.api_vip is None:
        return {"none": {}}
    return {"baremetal": {"apiVIPs": [str(topology.gateway.network[topology.api_vip])]}}


def _host(topology: Topology, number: int, role: str) -> dict[str, Any]:
    vlan = topology.on_vlan.get(number)
    nics = {f"eth{nic}": f"52:54:00:c0:{nic:02x}:{number + 1:02x}" for nic in range(1 if vlan is None else 2)}
    interfaces = _plain("eth0", nics["eth0"]) if vlan is None else _on_bond(list(nics), vlan)
    carrier = interfaces[-1]
    carrier |= _addresses(topology, number)
    default_route = {
        "destination": DEFAULT_ROUTES[topology.gateway.version == 6],
        "next-hop-address": str(topology.gateway.ip),
        "next-hop-interface": carrier["name"],
    }
    return {
        "hostname": f"node{number}",
        "role": role,
        "interfaces": [{"name": name, "macAddress": mac} for name, mac in nics.items()],
        "rootDeviceHints": {"deviceName": ROOT_DISK},
        "networkConfig": {"interfaces": interfaces, "routes": {"config": [default_route]}},
    }


def _plain(name: str, mac: str) -> list[dict[str, Any]]:
    return [{"name": name, "type": "ethernet", "state": "up", "mac-address": mac}]


def _on_bond(ports: list[str], vlan: int) -> list[dict[str, Any]]:
    """A bond that needs nothing of the switch, and a VLAN on it; the VLAN is last."""
    aggregation = {"mode": "active-backup", "options": {"miimon": 100}, "port": ports}
    return [
        {"name": "bond0", "type": "bond", "state": "up", "link-aggregation": aggregation},
        {"name": f"bond0.{vlan}", "type": "vlan", "state": "up", "vlan": {"base-iface": "bond0", "id": vlan}},
    ]


def _addresses(topology: Topology, number: int) -> dict[str, Any]:
    network, version = topology.gateway.network, topology.gateway.version
    address = {"ip": str(network[topology.first_host + number]), "prefix-length": network.prefixlen}
    static = {"enabled": True, "dhcp": False, "address": [address]}
    families = {4: "ipv4", 6: "ipv6"}
    return {families[each]: static if each == version else {"enabled": False} for each in families}
