"""The patches below `kubernetes` change no field that cluster0 sets, and have kubeadm's field names."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.install_config import InstallConfig

# https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/: what is below them may be patched.
_CLUSTER_FIELDS = ("apiServer", "controllerManager", "dns", "etcd", "featureGates", "proxy", "scheduler")
_SET_IN_CLUSTER = (
    "apiVersion", "kind", "clusterName", "kubernetesVersion", "controlPlaneEndpoint", "imageRepository", "networking",
    "certificatesDir", "encryptionAlgorithm", "apiServer.certSANs", "etcd.external", "etcd.local.dataDir",
    "etcd.local.imageTag",
)  # fmt: skip
_SET_IN_KUBELET = (
    "apiVersion", "kind", "cgroupDriver", "clusterDNS", "clusterDomain", "staticPodPath", "containerRuntimeEndpoint",
)  # fmt: skip
_SET_IN_KUBE_PROXY = ("apiVersion", "kind", "clientConnection.kubeconfig", "clusterCIDR", "hostnameOverride")
_CLUSTER = field_path(InstallConfig, dict, "kubernetes.clusterConfiguration")
_SET_BY_CLUSTER0 = (
    *(field_path(InstallConfig, object, f"kubernetes.clusterConfiguration.{field}") for field in _SET_IN_CLUSTER),
    *(field_path(InstallConfig, object, f"kubernetes.kubeletConfiguration.{field}") for field in _SET_IN_KUBELET),
    *(field_path(InstallConfig, object, f"kubernetes.kubeProxyConfiguration.{field}") for field in _SET_IN_KUBE_PROXY),
)
_EXTRA_ARGS = tuple(
    field_path(InstallConfig, object, f"kubernetes.clusterConfiguration.{component}.extraArgs")
    for component in ("apiServer", "controllerManager", "scheduler")
)


def patches_leave_the_rest_alone(facts: Facts) -> Iterator[Finding]:
    for path in _SET_BY_CLUSTER0:
        if facts.install.has(path):
            rule = "cluster0 sets this field; it cannot be patched."
            yield facts.install.finding(path, "patch-of-ours", rule, "Remove it.", at_key=True)
    yield from _known_fields(facts)
    for path in _EXTRA_ARGS:
        for place in facts.install.find(path):
            yield from _arguments(place)


def _known_fields(facts: Facts) -> Iterator[Finding]:
    """kubeadm drops a field that it does not know; its warning is easily overlooked."""
    known = {*_CLUSTER_FIELDS, *(field.partition(".")[0] for field in _SET_IN_CLUSTER)}
    for patch in facts.install.find(_CLUSTER):
        for key in patch.value.keys() - known:
            yield patch.source.finding(
                (*patch.path, key), "unknown-field", f"kubeadm's ClusterConfiguration has no field `{key}`.",
                f"Known here: {', '.join(_CLUSTER_FIELDS)}.", at_key=True,
            )  # fmt: skip


def _arguments(place: Place[object]) -> Iterator[Finding]:
    is_map = isinstance(place.value, dict) and all(isinstance(value, str | None) for value in place.value.values())
    if not is_map:
        rule = "Arguments are a mapping of names to text, whatever the API version of kubeadm's config."
        yield place.error("extra-args-invalid", rule, 'Write `name: "value"` lines.')
