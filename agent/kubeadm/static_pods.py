"""The static pods of a control plane that joins, held back until its own etcd votes.

kubeadm before 1.31 writes the API server, controller manager and scheduler before etcd, and each asks only the etcd or
the API server of its own host. Until that etcd is in sync and votes they can only crash, over and over, and starve
the etcd that they wait for. What kubeadm itself asks meanwhile is the API server of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agent.etcd.client import Member
from agent.machine import Machine

MANIFESTS = "/etc/kubernetes/manifests"
# On the same file system, so that a file is in one of the two whenever the power goes.
HELD_BACK = "/etc/kubernetes/manifests-held-back"
# What kubeadm changes in the static pods that it writes: a file a pod.
PATCHES = "/run/cluster0/kubeadm-patches"


def hold_back(machine: Machine) -> None:
    """Take every manifest away from the kubelet; to be called before it starts and before etcd's is written."""
    _move(machine, MANIFESTS, HELD_BACK)


def release(machine: Machine) -> None:
    """Give the kubelet what was held back; a repeat changes nothing."""
    _move(machine, HELD_BACK, MANIFESTS)


def name_etcd_member(machine: Machine, members: Iterable[Member], name: str, own: str) -> None:
    """Write the patch with which kubeadm gives the member with the peer URL `own` its name in `--initial-cluster`.

    etcd learns a member's name when the member first starts, and kubeadm writes what etcd says of one that it finds
    known: `--initial-cluster==https://…`. etcd ends at once when its own name is not there. Of a flag that is given
    twice it takes the last.
    """
    cluster = (f"{name if url == own else member.name}={url}" for member in members for url in member.peer_urls)
    flag = f"--initial-cluster={','.join(cluster)}"
    patch = [{"op": "add", "path": "/spec/containers/0/command/-", "value": flag}]
    machine.files.write(f"{PATCHES}/etcd+json.json", msgspec.json.encode(patch))


def _move(machine: Machine, source: str, target: str) -> None:
    machine.files.at(target).mkdir(exist_ok=True)
    for name in machine.files.names(source):
        machine.files.at(f"{source}/{name}").replace(machine.files.at(f"{target}/{name}"))
