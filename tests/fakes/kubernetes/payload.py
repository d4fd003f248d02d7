"""A payload's manifest, as far as programs on a host look at it."""

from __future__ import annotations

from agent.model.payload import CniPlugins, KubeadmApi, PayloadManifest, PayloadSource

PAYLOAD = PayloadManifest(
    kubernetes_version="v1.20.2",
    source=PayloadSource.DEBIAN,
    kubeadm_api=KubeadmApi.V1BETA2,
    image_repository="cluster0.local/kubernetes",
    binaries=(),
    images=(),
    network_plugin="host-gateway",
    pause="cluster0.local/kubernetes/pause:3.2",
    etcd="cluster0.local/kubernetes/etcd:3.4.23",
    cni_plugins=CniPlugins.DEBIAN,
    packages=(),
)
