"""The first node's range of the pod network, where it is known before the controller manager runs."""

from __future__ import annotations

import msgspec
import pytest

from agent.model.intent import ClusterNetwork, KubeadmPatches
from node0.bootstrap.pod_network import first_range
from tests.fakes.inputs.intents import intent

IPV4 = ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23)
IPV6 = ClusterNetwork(cidr="fd01::/48", host_prefix=64)


@pytest.mark.parametrize(
    ("networks", "patch", "cidr"),
    [
        ((IPV4,), {}, "10.128.0.0/23"),
        ((IPV6,), {}, "fd01::/64"),
        ((IPV4,), {"apiServer": {"extraArgs": {"v": "4"}}}, "10.128.0.0/23"),
        ((IPV4, IPV6), {}, ""),
        ((IPV4,), {"controllerManager": {"extraArgs": {"node-cidr-mask-size": "25"}}}, ""),
    ],
)
def test_the_first_range_is_that_of_an_empty_allocator(
    networks: tuple[ClusterNetwork, ...], patch: dict[str, object], cidr: str
) -> None:
    patches = KubeadmPatches(cluster_configuration=patch)
    assert first_range(msgspec.structs.replace(intent(), cluster_networks=networks, kubeadm=patches)) == cidr
