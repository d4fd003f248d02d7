"""`payload build --source upstream` against a signed apt repository and Debian's docker-registry, both on loopback.

Both speak TLS with a CA of their own and want a password. They carry the debian payload of the cache, or stand-ins.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agent.model.payload import CniPlugins, KubeadmApi, PayloadSource
from agent.model.problems import Problem
from cli.main import main
from image_build.payload.assemble import read_manifest
from image_build.payload.cli import payload
from tests.fakes.image_build.apt_repository import AptServer, add_package, serving_apt, sign
from tests.fakes.image_build.registry import RegistryServer, serving_registry, write_credentials
from tests.fakes.image_build.releases import REPOSITORY, VERSION, KubernetesRelease, cached_release, small_release
from tests.fakes.system.tls import LoopbackTls, make_loopback_tls

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Mirrors:
    """Where a release is mirrored, and how to get in; `folder` is its place in the registry."""

    apt: AptServer
    registry: RegistryServer
    folder: str
    tls: LoopbackTls

    def options(self, **changed: str | Path) -> dict[str, str | Path]:
        options: dict[str, str | Path] = {
            "source": "upstream",
            "kubernetes-version": VERSION,
            "apt-repository": self.apt.line,
            "apt-key": self.apt.key,
            "apt-auth": self.apt.credentials,
            "registry": REPOSITORY,
            "registry-mirror": f"{self.registry.address}/{self.folder}",
            "registry-auth": self.registry.credentials,
            "ca-file": self.tls.ca,
        }
        return options | {name.replace("_", "-"): value for name, value in changed.items()}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> LoopbackTls:
    return make_loopback_tls(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def registry(tls: LoopbackTls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    with serving_registry(tls, tmp_path_factory.mktemp("registry")) as server:
        yield server


@contextmanager
def mirrored(
    release: KubernetesRelease, tls: LoopbackTls, registry: RegistryServer, directory: Path
) -> Iterator[Mirrors]:
    """Put the release, an older kubeadm and the packages that come with it into both servers."""
    repository = directory / "repository"
    repository.mkdir()
    kubectl = release.programs["kubectl"]
    add_package(repository, "kubeadm", "1.20.1-1.1", {"usr/bin/kubeadm": kubectl})
    add_package(repository, "cri-tools", "1.20.0-1.1", {"usr/bin/crictl": kubectl})
    add_package(repository, "kubernetes-cni", "0.8.7-1.1", {"opt/cni/bin/bridge": kubectl})
    for name, program in release.programs.items():
        add_package(repository, name, f"{VERSION}-1.1", {f"usr/bin/{name}": program})
    folder = directory.name
    for name, archive in release.archives.items():
        registry.push(archive, f"{folder}/kubernetes/{name}")
    with serving_apt(repository, sign(repository, directory / "keys"), tls, directory) as server:
        yield Mirrors(server, registry, folder, tls)


@pytest.fixture(scope="module")
def small(tls: LoopbackTls, registry: RegistryServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirrors]:
    """Stand-ins, quick to fetch, for everything that goes wrong."""
    directory = tmp_path_factory.mktemp("small")
    with mirrored(small_release(directory), tls, registry, directory) as mirrors:
        yield mirrors


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLUSTER0_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def build(options: Mapping[str, str | Path], output: Path) -> Result:
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    # click keeps a command's help option as it was first asked for, so it is asked for as a user does.
    return CliRunner().invoke(payload, ["build", *words, "-o", str(output)], **main.context_settings)


def problem(result: Result) -> Problem:
    assert isinstance(result.exception, Problem), result.output
    return result.exception


def test_the_whole_release_comes_out_of_the_mirrors(
    tls: LoopbackTls, registry: RegistryServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as users_cache:
        users_cache.delenv("CLUSTER0_CACHE")
        release = cached_release(tmp_path)
    with mirrored(release, tls, registry, tmp_path) as mirrors:
        result = build(mirrors.options(), tmp_path / "payload")
    assert result.exception is None, result.output
    manifest = read_manifest(tmp_path / "payload")
    assert (manifest.source, manifest.kubernetes_version) == (PayloadSource.UPSTREAM, f"v{VERSION}")
    assert (manifest.kubeadm_api, manifest.image_repository) == (KubeadmApi.V1BETA2, REPOSITORY)
    assert {image.reference for image in manifest.images} == {f"{REPOSITORY}/{name}" for name in release.archives}
    assert (manifest.coredns, manifest.cni_plugins) == (f"{REPOSITORY}/coredns:1.7.0", CniPlugins.PAYLOAD)
    assert {binary.path for binary in manifest.binaries} == {
        "bin/crictl", "bin/kubeadm", "bin/kubectl", "bin/kubelet", "cni/bridge",
    }  # fmt: skip
    for name, program in release.programs.items():
        assert (tmp_path / "payload/bin" / name).read_bytes() == program.read_bytes()
    for image in manifest.images:
        original = release.archives[image.reference.removeprefix(f"{REPOSITORY}/")]
        # The configuration names the layers by their content, which compression on the way does not change.
        assert config_digest(tmp_path / "payload" / image.archive) == config_digest(original)


def test_a_second_build_fetches_nothing(small: Mirrors, tmp_path: Path) -> None:
    first = build(small.options(), tmp_path / "payload")
    assert first.exception is None, first.output
    without_access = small.options(apt_auth=small.tls.ca, registry_auth=small.tls.ca)
    again = build(without_access, tmp_path / "again")
    assert again.stdout == f"{tmp_path / 'again'}\n"
    assert "Image " not in again.stderr


def test_a_network_plugin_brings_its_images(small: Mirrors, tmp_path: Path) -> None:
    plugin = tmp_path / "flannel"
    plugin.mkdir()
    (plugin / "flannel.yaml").write_text("spec: {containers: [{image: docker.test/kubernetes/pause:3.2}]}\n")
    result = build(small.options(network_plugin=plugin), tmp_path / "payload")
    assert result.exception is None, result.output
    manifest = read_manifest(tmp_path / "payload")
    assert (manifest.network_plugin, manifest.network_manifests) == ("flannel", ("manifests/flannel.yaml",))
    assert "docker.test/kubernetes/pause:3.2" in {image.reference for image in manifest.images}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("kubernetes-version", "1.20.9", "Version '1.20.9-*' for 'kubeadm' was not found"),
        ("apt-auth", None, "401"),
        ("ca-file", None, "certificate"),
        ("apt-key", None, "signatures couldn't be verified"),
    ],
)
def test_unavailable_packages_are_a_problem(
    small: Mirrors, tmp_path: Path, option: str, value: str | None, words: str
) -> None:
    options = {**small.options(), option: value or ""}
    if value is None:
        del options[option]
    failed = problem(build(options, tmp_path / "payload"))
    assert failed.code == "packages-unavailable"
    assert small.apt.line in failed.title
    assert words in failed.detail
    assert not (tmp_path / "payload").exists()


def test_a_registry_that_refuses_our_credentials_is_a_problem(small: Mirrors, tmp_path: Path, cache: Path) -> None:
    wrong = write_credentials(tmp_path / "wrong.json", small.registry.address, "not-the-password")
    failed = problem(build(small.options(registry_auth=wrong), tmp_path / "payload"))
    assert failed.code == "image-unavailable"
    assert f"{REPOSITORY}/coredns:1.7.0 from {small.registry.address}/{small.folder}/kubernetes/coredns" in failed.title
    assert "not-the-password" not in str(failed)
    assert "not-the-password" not in next(cache.glob("payload/*.log")).read_text()


def test_an_image_that_the_mirror_lacks_is_named(small: Mirrors, tmp_path: Path) -> None:
    plugin = tmp_path / "calico"
    plugin.mkdir()
    (plugin / "calico.yaml").write_text("spec: {containers: [{image: docker.test/calico/node:v3}]}\n")
    failed = problem(build(small.options(network_plugin=plugin), tmp_path / "payload"))
    assert failed.code == "image-unavailable"
    assert "docker.test/calico/node:v3" in failed.title
    assert not (tmp_path / "payload").exists()


def config_digest(archive: Path) -> str:
    with tarfile.open(archive) as tar:
        index = json.load(tar.extractfile("index.json") or pytest.fail("no index"))
        blob = f"blobs/sha256/{index['manifests'][0]['digest'].removeprefix('sha256:')}"
        manifest = json.load(tar.extractfile(blob) or pytest.fail("no manifest"))
    digest: str = manifest["config"]["digest"]
    return digest
