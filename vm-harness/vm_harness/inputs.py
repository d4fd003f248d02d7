"""The two YAML files of a lab's cluster, made up for a topology when the directory has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agent.api.problems import Problem
from vm_harness.hosts import ROOT_DISK
from vm_harness.topologies import Topology

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"
LINE = 1000
"""Longer than an SSH key, which nobody wants to read folded."""


def are_present(directory: Path) -> bool:
    return (directory / INSTALL_CONFIG).exists() and (directory / AGENT_CONFIG).exists()


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
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "machineNetwork": [{"cidr": str(topology.gateway.network)}],
        },
        "platform": {"none": {}},
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
        "hosts": [_host(topology, number, role) for number, role in enumerate(roles)],
    }


def _host(topology: Topology, number: int, role: str) -> dict[str, Any]:
    mac = f"52:54:00:c0:00:{number + 1:02x}"
    address = {
        "ip": str(topology.gateway.network[topology.first_host + number]),
        "prefix-length": topology.gateway.network.prefixlen,
    }
    interface = {
        "name": "eth0", "type": "ethernet", "state": "up", "mac-address": mac,
        "ipv4": {"enabled": True, "dhcp": False, "address": [address]},
        "ipv6": {"enabled": False},
    }  # fmt: skip
    default_route = {
        "destination": "0.0.0.0/0", "next-hop-address": str(topology.gateway.ip), "next-hop-interface": "eth0",
    }  # fmt: skip
    return {
        "hostname": f"node{number}",
        "role": role,
        "interfaces": [{"name": "eth0", "macAddress": mac}],
        "rootDeviceHints": {"deviceName": ROOT_DISK},
        "networkConfig": {"interfaces": [interface], "routes": {"config": [default_route]}},
    }
