"""Patches with which kubeadm changes the static pods that it writes: lists of RFC 6902, a file each.

Reference: https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/control-plane-flags/#patches
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agent.etcd.client import Member
from agent.kubeadm.kinds import Document
from agent.machine import Machine
from agent.model.payload import KubeadmApi

DIRECTORY = "/run/cluster0/kubeadm-patches"
READINESS_SECONDS = 10
LIVENESS_FAILURES = 60
"""In a row, ten seconds apart."""
ETCD_REQUESTS = {"cpu": "300m", "memory": "100Mi"}
# Before this minor version kubeadm's liveness probe of etcd is `/health`, which fails where the quorum is slow or away.
_PROBES_THE_MEMBER_ALONE = 25


def prepare(machine: Machine, kubernetes_version: str) -> None:
    """Make the directory with the patches for every control plane; call it before kubeadm."""
    machine.files.at(DIRECTORY).mkdir(parents=True, exist_ok=True)
    # A restart of the API server because etcd or the host is slow makes both slower: it must list everything again, and
    # so must all its clients. It may be slow for minutes without being stuck: the kubelet's probe is a new TLS
    # connection with ten seconds, while existing connections are served.
    _probe(machine, "kube-apiserver", "/livez?exclude=etcd")
    _replace(machine, "kube-apiserver-liveness-failures", "livenessProbe/failureThreshold", LIVENESS_FAILURES)
    # kubeadm's own value is one second, each time a TLS handshake and a read by quorum. Clients of the API server do
    # not depend on this probe.
    _replace(machine, "kube-apiserver-readiness", "readinessProbe/periodSeconds", READINESS_SECONDS)
    # Where CPU is short, this is its share of it. Everything waits for etcd, to which kubeadm gives the least. Before
    # 1.22 it requests disk space, too: a kubelet that does not know its disks yet rejects the pod then, permanently
    # (https://github.com/kubernetes/kubernetes/issues/99305).
    _replace(machine, "etcd-requests", "resources/requests", ETCD_REQUESTS)
    # A member must not restart because others are missing: after a power cut of the site the first waits for the rest.
    # etcd before 3.5.3 has no health check of one member (https://github.com/kubernetes/kubeadm/issues/2567). Its
    # metrics, on the same port, show whether it answers.
    if int(kubernetes_version.split(".")[1]) < _PROBES_THE_MEMBER_ALONE:
        _probe(machine, "etcd", "/metrics")


def in_configuration(api: KubeadmApi) -> Document:
    """The field of kubeadm's configuration, empty where it has none."""
    return {} if api is KubeadmApi.V1BETA2 else {"patches": {"directory": DIRECTORY}}


def on_command_line(api: KubeadmApi) -> tuple[str, ...]:
    """What kubeadm needs on its command line, where its configuration has no field."""
    return (f"--experimental-patches={DIRECTORY}",) if api is KubeadmApi.V1BETA2 else ()


def name_etcd_member(machine: Machine, members: Iterable[Member], name: str, own: str) -> None:
    """Give the member with the peer URL `own` its name in `--initial-cluster`.

    etcd learns a member's name when the member first starts. kubeadm writes what etcd has of a member that it finds
    known: `--initial-cluster==https://…`. etcd ends at once when its own name is not there. Of a flag that is given
    twice it takes the last.
    """
    cluster = (f"{name if url == own else member.name}={url}" for member in members for url in member.peer_urls)
    flag = f"--initial-cluster={','.join(cluster)}"
    _write(machine, "etcd-name", {"op": "add", "path": "/spec/containers/0/command/-", "value": flag})


def _probe(machine: Machine, pod: str, path: str) -> None:
    """Set `path` as the liveness probe of the static pod."""
    _replace(machine, f"{pod}-liveness", "livenessProbe/httpGet/path", path)


def _replace(machine: Machine, name: str, field: str, value: object) -> None:
    _write(machine, name, {"op": "replace", "path": f"/spec/containers/0/{field}", "value": value})


def _write(machine: Machine, name: str, operation: Document) -> None:
    """`name` begins with the pod's."""
    machine.files.write(f"{DIRECTORY}/{name}+json.json", msgspec.json.encode([operation]))
