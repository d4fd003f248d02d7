"""The build fails and names the container images that are missing."""

from __future__ import annotations

import msgspec
import pytest

from agent.model.payload import CniPlugins, Image, KubeadmApi, PayloadManifest, PayloadSource
from agent.model.problems import Problem
from image_build.base_iso.image_store import require_every_image

PAYLOAD = PayloadManifest(
    kubernetes_version="v1.20.2",
    source=PayloadSource.DEBIAN,
    kubeadm_api=KubeadmApi.V1BETA2,
    image_repository="r",
    binaries=(),
    images=(Image(reference="r/kube-proxy:v1", archive="images/kube-proxy.tar", digest="sha256:0", size=1),),
    network_plugin="host-gateway",
    pause="r/pause:3.2",
    etcd="r/etcd:3.4",
    cni_plugins=CniPlugins.DEBIAN,
    packages=(),
)
STORE = {"r/kube-proxy:v1", "r/pause:3.2", "r/etcd:3.4"}


def test_complete_images_pass() -> None:
    require_every_image(PAYLOAD, STORE)


@pytest.mark.parametrize("reference", sorted(STORE))
def test_each_missing_image_is_named(reference: str) -> None:
    with pytest.raises(Problem, match="image-missing") as caught:
        require_every_image(PAYLOAD, STORE - {reference})
    assert caught.value.detail == reference


def test_the_proof_requires_coredns_where_the_payload_has_it() -> None:
    with pytest.raises(Problem) as caught:
        require_every_image(msgspec.structs.replace(PAYLOAD, coredns="r/coredns:1"), STORE)
    assert caught.value.detail == "r/coredns:1"
