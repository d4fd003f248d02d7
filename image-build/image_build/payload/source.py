"""The interface of the two sources of Kubernetes: both fetch the same kinds of ingredients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.model.payload import CniPlugins, Package, PayloadSource
from image_build.cache import Cache, Workplace
from image_build.ingredients import ingredients

INGREDIENTS = ingredients("image-build/payload")
"""`image-build/payload`: the files that are not Python."""


@dataclass(frozen=True)
class Ingredients:
    """Everything of one release, on disk.

    programs: what a host needs (kubeadm, kubelet, kubectl, perhaps crictl), by name.
    cni: the CNI plugins, by name; empty when the operating system's are used.
    images: OCI layout directories of one image each, by reference.
    licences: a directory of texts.
    image_repository: kubeadm's `imageRepository`; None: kubeadm's own default.
    etcd_tag: when it differs from kubeadm's default.
    without: names of images that kubeadm lists and this source deliberately omits.
    manifests: YAML of a network plugin; without any, the plugin is `host-gateway`.
    """

    programs: Mapping[str, Path]
    cni: Mapping[str, Path]
    cni_plugins: CniPlugins
    images: Mapping[str, Path]
    packages: Sequence[Package]
    licences: Path
    image_repository: str | None
    etcd_tag: str | None = None
    without: frozenset[str] = frozenset()
    network_plugin: str = "host-gateway"
    manifests: Sequence[Path] = ()
    notes: Sequence[str] = ()


class Source(Protocol):
    """One way to obtain Kubernetes."""

    @property
    def kind(self) -> PayloadSource: ...

    def inputs(self) -> Sequence[str | Path]:
        """What determines the content, for the cache key; never a secret."""

    def programs_needed(self) -> Mapping[str, str]:
        """Programs of this host that `fetch` runs, mapped to the Debian packages that have them."""

    def fetch(self, place: Workplace, cache: Cache) -> Ingredients:
        """Fetch everything into `place.scratch`, or return paths in the cache."""
