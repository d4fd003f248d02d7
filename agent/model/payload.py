"""The manifest of a payload: one release of Kubernetes, its programs, its container images and how to use them.

`cluster0 payload build` writes it as `manifest.json`, the image build copies it whole into the ISO's release
document, and node0 reads it there. References are exactly those of kubeadm, the kubelet and the network plugin.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class PayloadSource(StrEnum):
    """Where Kubernetes comes from: Debian's source package, or the Kubernetes project's packages and registry."""

    DEBIAN = "debian"
    UPSTREAM = "upstream"


class KubeadmApi(StrEnum):
    """Version of kubeadm's configuration kinds."""

    V1BETA2 = "kubeadm.k8s.io/v1beta2"
    V1BETA3 = "kubeadm.k8s.io/v1beta3"
    V1BETA4 = "kubeadm.k8s.io/v1beta4"

    @classmethod
    def of(cls, kubernetes_version: str) -> KubeadmApi:
        """The newest kinds that kubeadm `v1.MINOR.PATCH` reads without a warning of deprecation."""
        minor = int(kubernetes_version.removeprefix("v").split(".")[1])
        if minor < 22:
            return cls.V1BETA2
        return cls.V1BETA3 if minor < 31 else cls.V1BETA4


class CniPlugins(StrEnum):
    """Which bridge, host-local and portmap the hosts run: Debian's in the live image, or the payload's in `cni/`."""

    DEBIAN = "debian"
    PAYLOAD = "payload"


class Binary(msgspec.Struct, frozen=True, kw_only=True):
    """A program for the host; `path` is relative to the payload's directory, `size` in bytes."""

    name: str
    path: str
    sha256: str
    size: int


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """A package that went in; `use` says where, for example `kube-proxy image`."""

    name: str
    version: str
    use: str


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """A container image; `archive` is the path of an OCI archive, `digest` that of the image manifest."""

    reference: str
    archive: str
    digest: str
    size: int


class PayloadManifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest.json`, schema 1. Paths are relative to the payload's directory.

    binaries: `bin/NAME` for every host's PATH, `cni/NAME` when `cni_plugins` is `payload`.
    network_plugin: `host-gateway` (our own unit, no images), or a name for `network_manifests`, applied in order.
    pause, etcd, coredns: references among `images`. No CoreDNS means `kubeadm init --skip-phases=addon/coredns`.
    """

    schema: int = 1
    kubernetes_version: str
    source: PayloadSource
    kubeadm_api: KubeadmApi
    image_repository: str
    binaries: tuple[Binary, ...]
    images: tuple[Image, ...]
    network_plugin: str
    network_manifests: tuple[str, ...] = ()
    pause: str
    etcd: str
    coredns: str | None = None
    cni_plugins: CniPlugins
    packages: tuple[Package, ...]
    licences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def etcd_tag(self) -> str:
        """For kubeadm's `etcd.local.imageTag`."""
        return self.etcd.rpartition(":")[2]
