"""The RBAC objects of join credentials: request a certificate, and read what `kubeadm join` reads.

kubeadm's own group, `system:bootstrappers:kubeadm:default-node-token`, is not used: the controller manager
approves every request of its members, whatever node name it is for.
Reference: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
"""

from __future__ import annotations

from typing import Any

GROUP = "system:bootstrappers:cluster0"
NAME = "cluster0:join"

# kubeadm up to 1.23 has a ConfigMap for each release of the kubelet's configuration.
_READ = ["kubeadm-config", "kube-proxy", "kubelet-config"]
_API = "rbac.authorization.k8s.io"


def manifests(kubernetes_version: str) -> dict[str, dict[str, Any]]:
    """Path → object. `kubernetes_version`: v1.MINOR.PATCH."""
    release = ".".join(kubernetes_version.removeprefix("v").split(".")[:2])
    names = [*_READ, f"kubelet-config-{release}"]
    in_kube_system = f"/apis/{_API}/v1/namespaces/kube-system"
    everywhere = f"/apis/{_API}/v1"
    return {
        f"{in_kube_system}/roles/{NAME}": _role("Role", {"": ["configmaps"]}, ["get"], names),
        f"{in_kube_system}/rolebindings/{NAME}": _binding("RoleBinding", "Role", NAME, NAME),
        f"{everywhere}/clusterroles/{NAME}": _role("ClusterRole", {"": ["nodes"]}, ["get"], []),
        f"{everywhere}/clusterrolebindings/{NAME}": _binding("ClusterRoleBinding", "ClusterRole", NAME, NAME),
        f"{everywhere}/clusterrolebindings/{NAME}-sign": _binding(
            "ClusterRoleBinding", "ClusterRole", f"{NAME}-sign", "system:node-bootstrapper"
        ),
    }


def _role(kind: str, resources: dict[str, list[str]], verbs: list[str], names: list[str]) -> dict[str, Any]:
    rules = [
        {"apiGroups": [group], "resources": kinds, "verbs": verbs, **({"resourceNames": names} if names else {})}
        for group, kinds in resources.items()
    ]
    return {"apiVersion": f"{_API}/v1", "kind": kind, "metadata": _metadata(kind, NAME), "rules": rules}


def _binding(kind: str, role_kind: str, name: str, role: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{_API}/v1",
        "kind": kind,
        "metadata": _metadata(kind, name),
        "roleRef": {"apiGroup": _API, "kind": role_kind, "name": role},
        "subjects": [{"apiGroup": _API, "kind": "Group", "name": GROUP}],
    }


def _metadata(kind: str, name: str) -> dict[str, str]:
    return {"name": name} if kind.startswith("Cluster") else {"name": name, "namespace": "kube-system"}
