"""kubeadm's configuration, for each version of its kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml

from agent.model.payload import KubeadmApi
from node0.bootstrap.kubeadm import render
from tests.fakes.kubernetes.first_node import FIRST_NODE


@pytest.mark.parametrize("api", list(KubeadmApi))
def test_the_kubeadm_configuration_of_a_single_node_is_golden(
    api: KubeadmApi, golden: Callable[[str, str], None]
) -> None:
    golden(f"kubeadm/{api.rpartition('/')[2]}.yaml", render(FIRST_NODE, api))


def test_with_workers_the_control_plane_keeps_its_taint() -> None:
    init = next(yaml.safe_load_all(render(replace(FIRST_NODE, schedulable=False), KubeadmApi.V1BETA3)))
    assert "taints" not in init["nodeRegistration"]


def test_the_certificate_is_for_the_vip_and_for_the_node() -> None:
    names = replace(FIRST_NODE, api_address="192.0.2.5").api_names
    assert names == ("192.0.2.10", "192.0.2.5", "api.demo.example.com", "api-int.demo.example.com", "node0")


def test_an_ipv6_control_plane_endpoint_has_brackets() -> None:
    _, cluster, _ = yaml.safe_load_all(render(replace(FIRST_NODE, api_address="2001:db8::5"), KubeadmApi.V1BETA4))
    assert cluster["controlPlaneEndpoint"] == "[2001:db8::5]:6443"
