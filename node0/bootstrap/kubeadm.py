"""kubeadm's configuration for the first control-plane node, in the three versions of its kinds. Pure.

Reference: https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/ and its predecessors.
All keys are ECDSA: an RSA key takes seconds on a slow CPU, and kubeadm makes a dozen.
"""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from agent.kubeadm import static_pod_patches
from agent.kubeadm.kinds import Document, arguments, registration
from agent.model.endpoints import API_PORT, endpoint
from agent.model.intent import KubeadmPatches
from agent.model.payload import KubeadmApi
from node0.bootstrap.patches import merged, patched_cluster

CONTROL_PLANE_TIMEOUT = "20m0s"
UNPATCHED = KubeadmPatches()
_KUBELET: Document = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "cgroupDriver": "systemd",
}
_KUBE_PROXY: Document = {"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration"}


@dataclass(frozen=True)
class FirstNode:
    """The input of the configuration. `api_address`: the VIP or the node's own address. Subnets: CIDRs, or two.

    `schedulable`: ordinary pods may run here, because there is no worker. `node_prefix`: prefix length of each node's
    part of the first pod subnet.
    """

    hostname: str
    address: str
    api_address: str
    domain: str
    cluster_name: str
    kubernetes_version: str
    image_repository: str
    etcd_tag: str
    pause: str
    pod_subnets: tuple[str, ...]
    service_subnets: tuple[str, ...]
    node_prefix: int
    schedulable: bool
    patches: KubeadmPatches = UNPATCHED

    @property
    def api_names(self) -> tuple[str, ...]:
        """Every name and address that the API server's certificate is for."""
        names = (self.address, self.api_address, f"api.{self.domain}", f"api-int.{self.domain}", self.hostname)
        return tuple(dict.fromkeys(names))


def render(node: FirstNode, api: KubeadmApi) -> str:
    """The configuration file for `kubeadm init --config`."""
    documents = [
        _init(node, api),
        patched_cluster(_cluster(node, api), node.patches.cluster_configuration, api),
        merged(_KUBELET, node.patches.kubelet_configuration),
    ]
    # Only with a patch: kubeadm takes a configuration that it was given for the user's, and its upgrades no longer
    # convert it to a new version. https://github.com/kubernetes/kubernetes/pull/86070
    if node.patches.kube_proxy_configuration:
        documents.append(merged(_KUBE_PROXY, node.patches.kube_proxy_configuration))
    return yaml.safe_dump_all(documents, sort_keys=False)


def _init(node: FirstNode, api: KubeadmApi) -> Document:
    document: Document = {
        "apiVersion": str(api),
        "kind": "InitConfiguration",
        "localAPIEndpoint": {"advertiseAddress": node.address, "bindPort": API_PORT},
        "nodeRegistration": registration(
            node.hostname, node.address, api, pause=node.pause, schedulable=node.schedulable
        ),
        **static_pod_patches.in_configuration(api),
    }
    if api is KubeadmApi.V1BETA4:
        document["timeouts"] = {"controlPlaneComponentHealthCheck": CONTROL_PLANE_TIMEOUT}
    return document


def _cluster(node: FirstNode, api: KubeadmApi) -> Document:
    api_server: Document = {"certSANs": list(node.api_names)}
    document: Document = {
        "apiVersion": str(api),
        "kind": "ClusterConfiguration",
        "clusterName": node.cluster_name,
        "kubernetesVersion": node.kubernetes_version,
        "controlPlaneEndpoint": endpoint(node.api_address),
        "imageRepository": node.image_repository,
        "networking": {"podSubnet": ",".join(node.pod_subnets), "serviceSubnet": ",".join(node.service_subnets)},
        "apiServer": api_server,
        "controllerManager": {"extraArgs": arguments({"node-cidr-mask-size": str(node.node_prefix)}, api)},
        "etcd": {"local": {"dataDir": "/var/lib/etcd", "imageTag": node.etcd_tag}},
    }
    if api is KubeadmApi.V1BETA4:
        document["encryptionAlgorithm"] = "ECDSA-P256"
    else:
        api_server["timeoutForControlPlane"] = CONTROL_PLANE_TIMEOUT
        document["featureGates"] = {"PublicKeysECDSA": True}
    return document
