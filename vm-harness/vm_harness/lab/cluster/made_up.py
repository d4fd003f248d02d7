"""Inputs made up for a topology: both YAML files, in the formats that users write."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

import yaml

from inputs.load import AGENT_CONFIG, INSTALL_CONFIG
from vm_harness.lab.cluster.hosts import LabHost
from vm_harness.lab.cluster.topologies import Topology

DEFAULT_ROUTES = {4: "0.0.0.0/0", 6: "::/0"}
PODS_AND_SERVICES = {
    4: {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]},
    6: {"clusterNetwork": [{"cidr": "fd01::/48", "hostPrefix": 64}], "serviceNetwork": ["fd02::/112"]},
}
"""IP version of the machine network → the networks of pods and services."""
_LEADER_ELECTION = {
    "leader-elect-lease-duration": "120s", "leader-elect-renew-deadline": "90s", "leader-elect-retry-period": "15s",
}  # fmt: skip
SHARED_COMPUTER = {
    # An idle API server of 1.20 spends two thirds of its CPU on priority and fairness, by its own profile.
    "apiServer": {"extraArgs": {"etcd-count-metric-poll-period": "0", "enable-priority-and-fairness": "false"}},
}
"""The hosts share one computer's cores and disk."""
SEVERAL_MEMBERS = {"etcd": {"local": {"extraArgs": {"heartbeat-interval": "1000", "election-timeout": "10000"}}}}
"""Hosts that share a computer may pause for seconds. With etcd's own timeouts a pause would elect another leader. A
member that is alone loses no election, but waits for the end of this timeout at each start: ten seconds and more."""
LONG_TIMEOUTS = {
    "controllerManager": {"extraArgs": {**_LEADER_ELECTION, "node-monitor-grace-period": "160s"}},
    "scheduler": {"extraArgs": {**_LEADER_ELECTION}},
}
"""For virtual machines, which may be emulated: they pause long enough to lose leases and to be marked as lost."""
LONG_KUBELET_TIMEOUTS = {"nodeStatusUpdateFrequency": "40s", "nodeLeaseDurationSeconds": 160}
UNCHANGED_CONNTRACK = {"kubeProxyConfiguration": {"conntrack": {"maxPerCore": 0, "min": 0}}}
"""kube-proxy ends when it may not write nf_conntrack_max. The kernel lets nothing but its first network namespace write
it, so a host that is a container needs this. A virtual machine keeps its kernel's default, which is enough here."""
YAML_WIDTH = 1000
"""Longer than an SSH key, so that the key stays on one line."""


def write(directory: Path, topology: Topology, ssh_public_key: str) -> None:
    """Write both files. Raises FileExistsError when one of them is there."""
    for name, document in (
        (INSTALL_CONFIG, install_config(topology, ssh_public_key)),
        (AGENT_CONFIG, agent_config(topology)),
    ):
        with (directory / name).open("x") as file:
            yaml.safe_dump(document, file, sort_keys=False, width=YAML_WIDTH)


def hosts(topology: Topology) -> tuple[LabHost, ...]:
    """The machines of the same hosts, for an ISO whose addresses the lab does not know."""
    return tuple(_lab_host(topology, number) for number in range(topology.masters + topology.workers))


def _lab_host(topology: Topology, number: int) -> LabHost:
    macs = tuple(_macs(topology, number).values())
    second_link = macs[1:] if topology.second_network else ()
    return LabHost(name=_name(number), macs=macs, vlan=topology.on_vlan.get(number), second_link=second_link)


def install_config(topology: Topology, ssh_public_key: str) -> dict[str, Any]:
    """The content of install-config.yaml."""
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
        "kubernetes": _kubernetes(topology),
        "sshKey": ssh_public_key,
    }


def _kubernetes(topology: Topology) -> dict[str, Any]:
    cluster = SHARED_COMPUTER | (SEVERAL_MEMBERS if topology.masters > 1 else {})
    if topology.is_native:
        return {"clusterConfiguration": cluster, **UNCHANGED_CONNTRACK}
    return {
        "clusterConfiguration": cluster | LONG_TIMEOUTS,
        "kubeletConfiguration": LONG_KUBELET_TIMEOUTS,
        **UNCHANGED_CONNTRACK,
    }


def agent_config(topology: Topology) -> dict[str, Any]:
    """The content of agent-config.yaml. Hosts: `node0` first, then the other masters, then the workers.

    No host has disk hints: a machine has one disk, and its name depends on the kind of machine.
    """
    roles = ["master"] * topology.masters + ["worker"] * topology.workers
    return {
        "apiVersion": "v1beta1",
        "kind": "AgentConfig",
        "metadata": {"name": topology.name},
        "rendezvousIP": str(topology.gateway.network[topology.first_host]),
        "kernelArguments": list(topology.kernel_arguments),
        **({} if topology.waits_for_workers else {"missingWorkers": "continue", "missingWorkersMinutes": 0}),
        "serviceLifetimeMinutes": topology.service_lifetime_minutes,
        "hosts": [_host(topology, number, role) for number, role in enumerate(roles)],
    }


def _platform(topology: Topology) -> dict[str, Any]:
    if topology.api_vip is None:
        return {"none": {}}
    return {"baremetal": {"apiVIPs": [str(topology.gateway.network[topology.api_vip])]}}


def _host(topology: Topology, number: int, role: str) -> dict[str, Any]:
    vlan = topology.on_vlan.get(number)
    nics = _macs(topology, number)
    interfaces = _plain("eth0", nics["eth0"]) if vlan is None else _on_bond(list(nics), vlan)
    carrier = interfaces[-1]
    carrier |= _addresses(topology.gateway.network, topology.first_host + number)
    default_route = {
        "destination": DEFAULT_ROUTES[topology.gateway.version],
        "next-hop-address": str(topology.gateway.ip),
        "next-hop-interface": carrier["name"],
    }
    if topology.second_network:
        second = _addresses(topology.second_network, topology.first_host + number)
        interfaces += [one | second for one in _plain("eth1", nics["eth1"])]
    return {
        "hostname": _name(number),
        "role": role,
        "interfaces": [{"name": name, "macAddress": mac} for name, mac in nics.items()],
        "networkConfig": {"interfaces": interfaces, "routes": {"config": [default_route]}},
    }


def _name(number: int) -> str:
    return f"node{number}"


def _macs(topology: Topology, number: int) -> dict[str, str]:
    """NIC → MAC; a host on a VLAN, or on a second network, has two NICs."""
    nics = 2 if number in topology.on_vlan or topology.second_network else 1
    return {f"eth{nic}": f"52:54:00:c0:{nic:02x}:{number + 1:02x}" for nic in range(nics)}


def _plain(name: str, mac: str) -> list[dict[str, Any]]:
    return [{"name": name, "type": "ethernet", "state": "up", "mac-address": mac}]


def _on_bond(ports: list[str], vlan: int) -> list[dict[str, Any]]:
    """An active-backup bond, which needs no setting of the switch, and a VLAN on it. The VLAN is last."""
    aggregation = {"mode": "active-backup", "options": {"miimon": 100}, "port": ports}
    return [
        {"name": "bond0", "type": "bond", "state": "up", "link-aggregation": aggregation},
        {"name": f"bond0.{vlan}", "type": "vlan", "state": "up", "vlan": {"base-iface": "bond0", "id": vlan}},
    ]


def _addresses(network: IPv4Network | IPv6Network, number: int) -> dict[str, Any]:
    """The static address `number` of the network, and no address of the other IP version."""
    address = {"ip": str(network[number]), "prefix-length": network.prefixlen}
    static = {"enabled": True, "dhcp": False, "address": [address]}
    families = {4: "ipv4", 6: "ipv6"}
    return {families[each]: static if each == network.version else {"enabled": False} for each in families}
