"""The static pods of a control plane that joins, held back until its own etcd votes.

kubeadm before 1.31 writes the API server, controller manager and scheduler before etcd, and each asks only the etcd or
the API server of its own host. Until that etcd is in sync and votes they only crash, over and over, and starve
the etcd that they wait for. kubeadm itself uses the API server of the cluster meanwhile.
"""

from __future__ import annotations

from agent.machine import Machine

MANIFESTS = "/etc/kubernetes/manifests"
# On the same file system, so that a file is in one of the two whenever the power goes.
HELD_BACK = "/etc/kubernetes/manifests-held-back"


def hold_back(machine: Machine) -> None:
    """Take every manifest away from the kubelet; to be called before it starts and before etcd's is written."""
    _move(machine, MANIFESTS, HELD_BACK)


def release(machine: Machine) -> None:
    """Give the kubelet what was held back; a repeat changes nothing."""
    _move(machine, HELD_BACK, MANIFESTS)


def _move(machine: Machine, source: str, target: str) -> None:
    machine.files.at(target).mkdir(exist_ok=True)
    for name in machine.files.names(source):
        machine.files.at(f"{source}/{name}").replace(machine.files.at(f"{target}/{name}"))
