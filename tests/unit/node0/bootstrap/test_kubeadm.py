"""kubeadm's configuration, for each version of its kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml

from agent.api.payload import KubeadmApi
from node0.bootstrap.kubeadm import FirstNode, render

NODE = FirstNode(
    hostname="node0",
    address="192.0.2.10",
    api_address="192.0.2.10",
    domain="demo.example.com",
    cluster_name="demo",
    kubernetes_version="v1.20.2",
    image_repository="cluster0.local/kubernetes",
    etcd_tag="3.4.23",
    pod_subnets=("10.128.0.0/14",),
    service_subnets=("172.30.0.0/16",),
    node_prefix=23,
    schedulable=True,
)


@pytest.mark.parametrize("api", list(KubeadmApi))
def test_single_node(api: KubeadmApi, golden: Callable[[str, str], None]) -> None:
    golden(f"kubeadm/{api.rpartition('/')[2]}.yaml", render(NODE, api))


def test_with_workers_the_control_plane_keeps_its_taint() -> None:
    init = next(yaml.safe_load_all(render(replace(NODE, schedulable=False), KubeadmApi.V1BETA3)))
    assert "taints" not in init["nodeRegistration"]


def test_the_certificate_is_for_the_vip_and_for_the_node() -> None:
    names = replace(NODE, api_address="192.0.2.5").api_names
    assert names == ("192.0.2.10", "192.0.2.5", "api.demo.example.com", "api-int.demo.example.com", "node0")


def test_an_ipv6_endpoint_has_brackets() -> None:
    _, cluster, _ = yaml.safe_load_all(render(replace(NODE, api_address="2001:db8::5"), KubeadmApi.V1BETA4))
    assert cluster["controlPlaneEndpoint"] == "[2001:db8::5]:6443"
