"""Kubernetes from Debian: compiled from the source package of Debian 12, images made of Debian's programs.

This is Kubernetes 1.20, which is end-of-life, and there is no CoreDNS: only for a lab and for CI, where only a Debian
mirror can be reached.
"""

from __future__ import annotations

import re
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.payload import CniPlugins, Package, PayloadSource
from cli.command import Commands
from image_build.cache import Cache, Workplace, cache_key
from image_build.payload import build_root, kubeadm
from image_build.payload.debian_images import recipes, write_image
from image_build.payload.source import INGREDIENTS, Ingredients

IMAGE_REPOSITORY = "cluster0.local/kubernetes"
LAB_REPOSITORY = "cluster0.local/lab"
"""Images for tests only; no registry of either name exists."""

SCRIPT = INGREDIENTS / "debian-kubernetes.sh"

NOTES = (
    "Kubernetes 1.20 is end-of-life: for lab and CI only.",
    "No CoreDNS: no Debian package has it. Names of services do not resolve inside pods.",
    "No crictl: kubeadm's preflight phase must be skipped; cluster0's own validations replace it.",
    "Sources: apt-get source NAME=VERSION of `packages`; Debian 13 for the kube-proxy image, Debian 12 otherwise.",
)


@dataclass(frozen=True)
class DebianSource:
    """`mirror`: an address for mmdebstrap that has Debian 12 and 13; a snapshot mirror fixes every version."""

    mirror: str | None = None

    @property
    def kind(self) -> PayloadSource:
        return PayloadSource.DEBIAN

    def inputs(self) -> Sequence[str | Path]:
        return [*self._build_inputs(), *self._tools_inputs()]

    def programs_needed(self) -> Mapping[str, str]:
        return {"mmdebstrap": "mmdebstrap"}

    def fetch(self, place: Workplace, cache: Cache) -> Ingredients:
        built = cache.obtain("kubernetes", cache_key(self._build_inputs()), lambda made: self._compile(made, cache))
        tools = cache.obtain("kube-proxy-tools", cache_key(self._tools_inputs()), self._unpack_tools)
        packages = [
            *_packages_listed(built / "packages", "build and images"),
            *_packages_listed(tools / "packages", "kube-proxy image"),
        ]
        etcd_tag = upstream_version(packages, "etcd-server")
        with cache.step("Container images from Debian's programs", 3):
            images = self._images(built, tools / "tools.tar", packages, etcd_tag, place)
        licences = place.scratch / "licences"
        shutil.copytree(built / "licences", licences)
        _copy_licences(tools / "tools.tar", licences, "kube-proxy")
        return Ingredients(
            programs={name: built / "bin" / name for name in ("kubeadm", "kubelet", "kubectl")},
            cni={},
            cni_plugins=CniPlugins.DEBIAN,
            images=images,
            packages=packages,
            licences=licences,
            image_repository=IMAGE_REPOSITORY,
            etcd_tag=etcd_tag,
            without=frozenset({"coredns"}),
            notes=NOTES,
        )

    def _images(
        self, built: Path, tools: Path, packages: Sequence[Package], etcd_tag: str, place: Workplace
    ) -> dict[str, Path]:
        """The images that kubeadm requires, where there is a recipe, and busybox for tests."""
        known = recipes(built, tools)
        references = kubeadm.required_images(
            built / "bin/kubeadm", place.scratch, Commands(place.log),
            image_repository=IMAGE_REPOSITORY, etcd_tag=etcd_tag,
        )  # fmt: skip
        busybox = f"{LAB_REPOSITORY}/busybox:{upstream_version(packages, 'busybox-static')}"
        named = {kubeadm.name_of(reference): reference for reference in (*references, busybox)}
        return {named[name]: write_image(known[name], place.scratch / name) for name in named.keys() & known.keys()}

    def _compile(self, place: Workplace, cache: Cache) -> None:
        build_root.compile_kubernetes(place, cache, SCRIPT, self.mirror)

    def _unpack_tools(self, place: Workplace) -> None:
        build_root.unpack_proxy_tools(place, self.mirror)

    def _build_inputs(self) -> Sequence[str | Path]:
        return [build_root.SOURCE_SUITE, *build_root.BUILD_PACKAGES, SCRIPT, self.mirror or ""]

    def _tools_inputs(self) -> Sequence[str | Path]:
        return [build_root.HOST_SUITE, *build_root.PROXY_PACKAGES, build_root.LIST_DOWNLOADED, self.mirror or ""]


def _packages_listed(listing: Path, use: str) -> list[Package]:
    """From a file with `name version` on each line."""
    pairs = (line.split() for line in listing.read_text().splitlines())
    return [Package(name=name, version=version, use=use) for name, version in pairs]


def upstream_version(packages: Sequence[Package], name: str) -> str:
    """`1:1.35.0-4+deb12u1` is 1.35.0: without Debian's epoch and revision, for use in a tag."""
    version = next(package.version for package in packages if package.name == name)
    return version.rpartition(":")[2].partition("-")[0]


def _copy_licences(root: Path, directory: Path, prefix: str) -> None:
    """Put the copyright files from the tar of a root directory into `directory`, as `PREFIX.NAME.copyright`."""
    with tarfile.open(root) as tar:
        for name, text in _copyright_files(tar):
            (directory / f"{prefix}.{name}.copyright").write_bytes(text)


def _copyright_files(tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        found = re.fullmatch(r"\./usr/share/doc/([^/]+)/copyright", member.name)
        content = tar.extractfile(member) if found and member.isfile() else None
        if found and content:
            yield found[1], content.read()
