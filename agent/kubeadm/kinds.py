"""What the configurations of `kubeadm init` and `kubeadm join` have in common, by the version of their kinds. Pure.

Reference: https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/ and its predecessors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.model.payload import KubeadmApi

CRI_SOCKET = "/run/containerd/containerd.sock"
PKI = "/etc/kubernetes/pki"
ETCD_PKI = f"{PKI}/etcd"
# Written once the kubelet has its certificate.
KUBELET_KUBECONFIG = "/etc/kubernetes/kubelet.conf"

Document = dict[str, Any]


def registration(name: str, address: str, api: KubeadmApi, *, pause: str, schedulable: bool) -> Document:
    """`nodeRegistration`: `schedulable` leaves out the taint that keeps ordinary pods off a control plane.

    `pause`: the image of every pod's sandbox.
    """
    kubelet = {"node-ip": address}
    if api is KubeadmApi.V1BETA2:
        # kubeadm adds it from 1.21 on: https://github.com/kubernetes/kubernetes/pull/99476. Without it, a kubelet whose
        # disk is full deletes the image as unused. No registry has it, so no pod would start any more.
        kubelet["pod-infra-container-image"] = pause
    document: Document = {
        "name": name,
        "criSocket": CRI_SOCKET if api is KubeadmApi.V1BETA2 else f"unix://{CRI_SOCKET}",
        "kubeletExtraArgs": arguments(kubelet, api),
    }
    if schedulable:
        document["taints"] = []
    return document


def arguments(values: Mapping[str, str], api: KubeadmApi) -> Any:
    """Extra arguments of a component: a map up to v1beta3, then a list, so that one may be given twice."""
    if api is KubeadmApi.V1BETA4:
        return [{"name": name, "value": value} for name, value in values.items()]
    return dict(values)
