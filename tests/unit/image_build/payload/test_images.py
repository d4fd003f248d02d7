"""Which images a payload needs, where they come from, and the message when one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.model.payload import Package
from agent.model.problems import Problem
from cli.command import Commands
from image_build.payload import kubeadm
from image_build.payload.build import refuse_incomplete
from image_build.payload.debian import upstream_version
from image_build.payload.network_plugin import images_in, manifests_in
from image_build.payload.registry import Registry

KUBEADM = """#!/bin/sh
case "$1" in
    version) echo v1.33.1 ;;
    config) cat "$5" >&2; echo registry.test/k8s/etcd:3.5.21-0; echo registry.test/k8s/coredns/coredns:v1.12.0 ;;
esac
"""

DAEMON_SET = """
kind: DaemonSet
spec:
  template:
    spec:
      initContainers:
      - {name: install, image: docker.io/flannel/flannel-cni-plugin:v1.7.1}
      containers:
      - name: flannel
        image: docker.io/flannel/flannel:v0.27.0
        volumeMounts: [{name: run}]
---
---
kind: ConfigMap
data: {image: "kube/in-a-value:1"}
"""


def test_kubeadm_lists_images_for_its_own_release(tmp_path: Path) -> None:
    program = tmp_path / "kubeadm"
    program.write_text(KUBEADM)
    program.chmod(0o755)
    commands = Commands(tmp_path / "log")
    images = kubeadm.required_images(
        program, tmp_path, commands, image_repository="registry.test/k8s", etcd_tag="3.5.21-0"
    )
    assert images == ("registry.test/k8s/etcd:3.5.21-0", "registry.test/k8s/coredns/coredns:v1.12.0")
    assert [kubeadm.name_of(image) for image in images] == ["etcd", "coredns"]
    log = (tmp_path / "log").read_text()
    assert '"apiVersion": "kubeadm.k8s.io/v1beta4"' in log
    assert '"imageRepository": "registry.test/k8s"' in log
    assert '"imageTag": "3.5.21-0"' in log


def test_missing_images_of_a_payload_are_named() -> None:
    refuse_incomplete(["a/etcd:1"], ["a/etcd:1", "a/extra:1"])
    with pytest.raises(Problem, match=r"payload-incomplete: .*: a/etcd:1, a/pause:3\.2"):
        refuse_incomplete(["a/pause:3.2", "a/etcd:1", "a/kube-proxy:v1"], ["a/kube-proxy:v1"])


def test_images_of_a_network_plugin_come_from_its_manifests(tmp_path: Path) -> None:
    (tmp_path / "10-flannel.yaml").write_text(DAEMON_SET)
    (tmp_path / "README.md").write_text("not a manifest")
    files = manifests_in(tmp_path)
    assert [file.name for file in files] == ["10-flannel.yaml"]
    assert images_in(files) == ["docker.io/flannel/flannel-cni-plugin:v1.7.1", "docker.io/flannel/flannel:v0.27.0"]


def test_a_network_plugin_without_valid_manifests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no-manifests"):
        manifests_in(tmp_path)
    (tmp_path / "broken.yml").write_text("a: [")
    with pytest.raises(Problem, match=r"manifest-unreadable: .*broken.yml is not YAML"):
        images_in(manifests_in(tmp_path))


@pytest.mark.parametrize(
    ("mirror", "reference", "address"),
    [
        (None, "registry.test/k8s/pause:3.2", "registry.test/k8s/pause:3.2"),
        ("mirror.test:5000", "registry.test/coredns/coredns:v1", "mirror.test:5000/coredns/coredns:v1"),
        ("mirror.test/sub", "registry.test:5000/pause:3.2", "mirror.test/sub/pause:3.2"),
        ("mirror.test", "localhost/pause:3.2", "mirror.test/pause:3.2"),
        ("mirror.test", "flannel/flannel:v1", "mirror.test/flannel/flannel:v1"),
        ("mirror.test", "busybox:1", "mirror.test/busybox:1"),
    ],
)
def test_a_mirror_replaces_every_registry(mirror: str | None, reference: str, address: str) -> None:
    assert Registry(mirror=mirror).address(reference) == address


@pytest.mark.parametrize(
    ("version", "upstream"),
    [("3.4.23-4+b4", "3.4.23"), ("1:1.35.0-4+deb12u1+b1", "1.35.0"), ("2:1.19~1", "1.19~1")],
)
def test_the_kubernetes_version_is_read_from_a_debian_version(version: str, upstream: str) -> None:
    assert upstream_version([Package(name="x", version=version, use="test")], "x") == upstream
