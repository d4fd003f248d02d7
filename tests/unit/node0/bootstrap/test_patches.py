"""The user's patches of kubeadm's kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from agent.model.intent import KubeadmPatches
from agent.model.payload import KubeadmApi
from node0.bootstrap.kubeadm import FirstNode, render
from node0.bootstrap.patches import merged
from tests.fakes.kubernetes.first_node import FIRST_NODE


def test_a_merge_patch_is_applied_as_rfc_7396_says() -> None:
    """Cases of RFC 7386, appendix A."""
    assert merged({"a": "b", "b": "c"}, {"a": None}) == {"b": "c"}
    assert merged({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}) == {"a": {"b": "d"}}
    assert merged({"a": [{"b": "c"}]}, {"a": [1]}) == {"a": [1]}
    assert merged({"e": None}, {"a": 1}) == {"e": None, "a": 1}
    assert merged({}, {"a": {"bb": {"ccc": None}}}) == {"a": {"bb": {}}}


@pytest.mark.parametrize("api", list(KubeadmApi))
def test_extra_arguments_have_the_form_of_each_kubeadm_version(api: KubeadmApi) -> None:
    patches = KubeadmPatches(
        cluster_configuration={
            "apiServer": {"extraArgs": {"audit-log-maxage": "7"}},
            "controllerManager": {"extraArgs": {"v": "4"}},
            "etcd": {"local": {"extraArgs": {"election-timeout": "5000"}}},
        },
        kubelet_configuration={"maxPods": 50},
    )
    _, cluster, kubelet = yaml.safe_load_all(render(replace(FIRST_NODE, patches=patches), api))
    extra = cluster["controllerManager"]["extraArgs"]
    if api is KubeadmApi.V1BETA4:
        extra = {argument["name"]: argument["value"] for argument in extra}
    assert extra == {"node-cidr-mask-size": "23", "v": "4"}
    assert cluster["apiServer"]["certSANs"] == list(FIRST_NODE.api_names)
    assert "audit-log-maxage" in str(cluster["apiServer"]["extraArgs"])
    etcd = cluster["etcd"]["local"]
    assert etcd["dataDir"] == "/var/lib/etcd"
    assert isinstance(etcd["extraArgs"], list) == (api is KubeadmApi.V1BETA4)
    assert (kubelet["maxPods"], kubelet["cgroupDriver"]) == (50, "systemd")


@pytest.mark.parametrize("api", list(KubeadmApi))
def test_kube_proxy_has_a_document_only_when_it_is_patched(api: KubeadmApi) -> None:
    assert kinds(FIRST_NODE, api) == ["InitConfiguration", "ClusterConfiguration", "KubeletConfiguration"]
    patched = replace(FIRST_NODE, patches=KubeadmPatches(kube_proxy_configuration={"conntrack": {"min": 0}}))
    assert kinds(patched, api) == [*kinds(FIRST_NODE, api), "KubeProxyConfiguration"]
    *_, kube_proxy = yaml.safe_load_all(render(patched, api))
    assert kube_proxy["apiVersion"] == "kubeproxy.config.k8s.io/v1alpha1"
    assert kube_proxy["conntrack"] == {"min": 0}


def kinds(node: FirstNode, api: KubeadmApi) -> list[str]:
    return [document["kind"] for document in yaml.safe_load_all(render(node, api))]
