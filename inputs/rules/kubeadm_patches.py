"""Do the patches below `kubernetes` leave alone what cluster0 itself decides, and are they spelled as kubeadm does?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts

# https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/: what is below them may be patched.
_CLUSTER_FIELDS = ("apiServer", "controllerManager", "dns", "etcd", "featureGates", "proxy", "scheduler")
_COMPONENTS = ("apiServer", "controllerManager", "scheduler")
_OURS = {
    "clusterConfiguration": (
        ("apiVersion",), ("kind",), ("clusterName",), ("kubernetesVersion",), ("controlPlaneEndpoint",),
        ("imageRepository",), ("networking",), ("certificatesDir",), ("encryptionAlgorithm",),
        ("apiServer", "certSANs"), ("etcd", "external"), ("etcd", "local", "dataDir"), ("etcd", "local", "imageTag"),
    ),
    "kubeletConfiguration": (
        ("apiVersion",), ("kind",), ("cgroupDriver",), ("clusterDNS",), ("clusterDomain",), ("staticPodPath",),
        ("containerRuntimeEndpoint",),
    ),
}  # fmt: skip


def patches_leave_the_rest_alone(facts: Facts) -> Iterator[Finding]:
    for patch, paths in _OURS.items():
        for path in paths:
            for place in facts.install.find(object, "kubernetes", patch, *path):
                yield _about_key(place, "patch-of-ours", "cluster0 decides this field.", "Remove it.")
    yield from _known_fields(facts)
    for component in _COMPONENTS:
        for place in facts.install.find(object, "kubernetes", "clusterConfiguration", component, "extraArgs"):
            yield from _arguments(place)


def _known_fields(facts: Facts) -> Iterator[Finding]:
    """A field that kubeadm does not know would be dropped with a warning that nobody reads."""
    ours = {path[0] for path in _OURS["clusterConfiguration"]}
    for patch in facts.install.find(dict, "kubernetes", "clusterConfiguration"):
        for key in patch.value.keys() - ours - set(_CLUSTER_FIELDS):
            yield patch.source.finding(
                (*patch.path, key), "unknown-field", f"kubeadm's ClusterConfiguration has no field `{key}`.",
                f"Known here: {', '.join(_CLUSTER_FIELDS)}.", at_key=True,
            )  # fmt: skip


def _arguments(place: Place[object]) -> Iterator[Finding]:
    is_map = isinstance(place.value, dict) and all(isinstance(value, str | None) for value in place.value.values())
    if not is_map:
        rule = "Arguments are a mapping of names to text, whatever the version of kubeadm's kinds."
        yield place.error("extra-args-invalid", rule, 'Write `name: "value"` lines.')


def _about_key(place: Place[object], code: str, rule: str, remedy: str) -> Finding:
    return place.source.finding(place.path, code, rule, remedy, at_key=True)
