"""The payload's manifest: node0 reads what the builder writes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from agent.model.payload import CniPlugins, KubeadmApi, Package, PayloadSource
from agent.model.problems import Problem
from image_build.payload.assemble import assemble, read_manifest
from image_build.payload.debian_images import ImageRecipe, write_image
from image_build.payload.source import Ingredients

REPOSITORY = "registry.test/kubernetes"
REQUIRED = (f"{REPOSITORY}/kube-apiserver:v1.20.2", f"{REPOSITORY}/pause:3.2", f"{REPOSITORY}/etcd:3.4.13-0")


@pytest.fixture
def ingredients(tmp_path: Path) -> Ingredients:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    licences = tmp_path / "licences"
    licences.mkdir()
    (licences / "kubeadm.LICENSE").write_text("free")
    recipe = ImageRecipe(("/program",), program, "program")
    return Ingredients(
        programs={"kubelet": program, "kubeadm": program},
        cni={},
        cni_plugins=CniPlugins.DEBIAN,
        images={
            reference: write_image(recipe, tmp_path / reference.rpartition("/")[2].replace(":", "-"))
            for reference in REQUIRED
        },
        packages=[Package(name="zlib1g", version="2", use="b"), Package(name="libc6", version="1", use="b")],
        licences=licences,
        image_repository=REPOSITORY,
        notes=["for tests"],
    )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    directory = tmp_path / "payload"
    directory.mkdir()
    return directory


def test_a_written_payload_manifest_reads_back(ingredients: Ingredients, directory: Path) -> None:
    written = assemble(PayloadSource.DEBIAN, "v1.20.2", REQUIRED, ingredients, directory)
    assert read_manifest(directory) == written
    assert written.kubeadm_api is KubeadmApi.V1BETA2
    assert written.image_repository == REPOSITORY
    assert (written.pause, written.etcd_tag, written.coredns) == (f"{REPOSITORY}/pause:3.2", "3.4.13-0", None)
    assert [package.name for package in written.packages] == ["libc6", "zlib1g"]
    assert (written.network_plugin, written.network_manifests) == ("host-gateway", ())


def test_the_payload_manifest_describes_every_file(ingredients: Ingredients, directory: Path) -> None:
    payload = assemble(PayloadSource.DEBIAN, "v1.20.2", REQUIRED, ingredients, directory)
    described = [
        "manifest.json",
        *(binary.path for binary in payload.binaries),
        *(image.archive for image in payload.images),
        *payload.licences,
    ]
    present = [str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()]
    assert sorted(described) == sorted(present)
    for binary in payload.binaries:
        content = (directory / binary.path).read_bytes()
        assert (binary.sha256, binary.size) == (hashlib.sha256(content).hexdigest(), len(content))
        assert (directory / binary.path).stat().st_mode & 0o777 == 0o755


def test_a_network_plugin_brings_its_manifests(ingredients: Ingredients, directory: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "flannel.yaml"
    manifest.write_text("kind: Namespace\n")
    plugin = replace(ingredients, network_plugin="flannel", manifests=[manifest], cni=ingredients.programs)
    payload = assemble(PayloadSource.UPSTREAM, "v1.33.1", REQUIRED, plugin, directory)
    assert payload.network_manifests == ("manifests/flannel.yaml",)
    assert (directory / "manifests/flannel.yaml").read_text() == manifest.read_text()
    assert {binary.path for binary in payload.binaries} == {"bin/kubeadm", "bin/kubelet", "cni/kubeadm", "cni/kubelet"}


@pytest.mark.parametrize("content", [None, "{", '{"schema": 1}'])
def test_a_directory_that_is_no_payload_is_refused(directory: Path, content: str | None) -> None:
    if content is not None:
        (directory / "manifest.json").write_text(content)
    with pytest.raises(Problem, match=f"not-a-payload: {directory} is not a payload"):
        read_manifest(directory)


@pytest.mark.parametrize(
    ("version", "api"),
    [
        ("v1.20.2", KubeadmApi.V1BETA2),
        ("v1.21.14", KubeadmApi.V1BETA2),
        ("v1.22.0", KubeadmApi.V1BETA3),
        ("v1.30.9", KubeadmApi.V1BETA3),
        ("v1.31.0", KubeadmApi.V1BETA4),
    ],
)
def test_kubeadm_api_follows_the_release(version: str, api: KubeadmApi) -> None:
    assert KubeadmApi.of(version) is api
