"""Kubernetes as its project publishes it: packages from an apt repository, images from a registry or a mirror."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.model.payload import CniPlugins, PayloadSource
from agent.model.problems import Problem
from cli.command import Commands
from image_build.cache import Cache, Workplace
from image_build.payload import kubeadm
from image_build.payload.apt import AptRepository, download, unpack
from image_build.payload.network_plugin import images_in, manifests_in
from image_build.payload.registry import Registry
from image_build.payload.source import Ingredients

PROGRAMS = {
    "kubeadm": "usr/bin/kubeadm",
    "kubelet": "usr/bin/kubelet",
    "kubectl": "usr/bin/kubectl",
    "crictl": "usr/bin/crictl",
}
CNI_FOLDER = "opt/cni/bin"

# By their sizes: 100 MB of packages and up to 60 MB an image, from a mirror at 100 Mbit/s.
PACKAGES_SECONDS = 15
IMAGE_SECONDS = 5


@dataclass(frozen=True)
class UpstreamSource:
    """`version`: the release without `v`, for example `1.33.1`.

    image_repository: for kubeadm, when it differs from kubeadm's default.
    network_plugin: a directory of manifests; None is `host-gateway`.
    """

    version: str
    repository: AptRepository = field(default_factory=AptRepository)
    registry: Registry = field(default_factory=Registry)
    image_repository: str | None = None
    network_plugin: Path | None = None

    @property
    def kind(self) -> PayloadSource:
        return PayloadSource.UPSTREAM

    def inputs(self) -> Sequence[str | Path]:
        manifests = manifests_in(self.network_plugin) if self.network_plugin else []
        words = (self.version, self.repository.line, self.registry.mirror, self.image_repository)
        return [*(word or "" for word in words), *manifests]

    def programs_needed(self) -> Mapping[str, str]:
        return {"apt-get": "apt", "dpkg-deb": "dpkg", "skopeo": "skopeo"}

    def fetch(self, place: Workplace, cache: Cache) -> Ingredients:
        commands = Commands(place.log)
        root = place.scratch / "root"
        with cache.step(f"Packages of Kubernetes {self.version}", PACKAGES_SECONDS):
            debs = download(self.repository, self._package_specs(), place.scratch / "apt", place.log)
            packages = [unpack(deb, root, commands) for deb in debs]
        manifests = manifests_in(self.network_plugin) if self.network_plugin else []
        references = kubeadm.required_images(
            _present(root / PROGRAMS["kubeadm"]), place.scratch, commands,
            image_repository=self.image_repository, etcd_tag=None,
        )  # fmt: skip
        return Ingredients(
            programs={name: _present(root / path) for name, path in PROGRAMS.items()},
            cni={path.name: path for path in _present(root / CNI_FOLDER).iterdir() if path.is_file()},
            cni_plugins=CniPlugins.PAYLOAD,
            images=self._images(sorted({*references, *images_in(manifests)}), place, cache),
            packages=packages,
            licences=_licences(root, place.scratch / "licences"),
            image_repository=self.image_repository,
            network_plugin=self.network_plugin.name if self.network_plugin else "host-gateway",
            manifests=manifests,
        )

    def _package_specs(self) -> list[str]:
        # cri-tools and kubernetes-cni have versions of their own; the repository is of one minor release.
        versioned = [f"{name}={self.version}-*" for name in ("kubeadm", "kubelet", "kubectl")]
        return [*versioned, "cri-tools", "kubernetes-cni"]

    def _images(self, references: Sequence[str], place: Workplace, cache: Cache) -> dict[str, Path]:
        directory, commands = place.scratch / "images", Commands(place.log)
        directory.mkdir()
        layouts = {}
        for number, reference in enumerate(references):
            with cache.step(f"Image {reference}", IMAGE_SECONDS):
                layouts[reference] = self.registry.fetch(reference, directory / str(number), commands)
        return layouts


def _present(path: Path) -> Path:
    if not path.exists():
        raise Problem(
            code="package-unexpected",
            title=f"none of the downloaded packages has {path.name}",
            remedy="The apt repository must have the Kubernetes project's own packages, or rebuilds of them.",
        )
    return path


def _licences(root: Path, directory: Path) -> Path:
    """Copy the packages' licence files, as `PACKAGE.FILE`."""
    directory.mkdir()
    for pattern in ("copyright", "LICENSE*"):
        for file in root.glob(f"usr/share/doc/*/{pattern}"):
            shutil.copyfile(file, directory / f"{file.parent.name}.{file.name}")
    return directory
