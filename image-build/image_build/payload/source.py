"""What the two sources of Kubernetes have in common: they fetch the same ingredients, the rest is shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.model.payload import CniPlugins, Package, PayloadSource
from image_build.cache import Cache, Workplace
from image_build.ingredients import ingredients

INGREDIENTS = ingredients("image-build/payload")
"""The folder of what is not Python: `image-build/payload`."""


@dataclass(frozen=True)
class Ingredients:
    """Everything of one release, on disk.

    programs: what a host needs (kubeadm, kubelet, kubectl, perhaps crictl), by name.
    cni: the CNI plugins, by name; empty when the operating system's are used.
    images: OCI layout directories of one image each, by the reference that will ask for it.
    licences: a directory of texts.
    image_repository: kubeadm's `imageRepository`; None when kubeadm's own default is meant.
    etcd_tag: where it is not the one kubeadm would choose.
    without: names of images that kubeadm may ask for and this source knowingly does not have.
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
    """One way to get at Kubernetes."""

    @property
    def kind(self) -> PayloadSource: ...

    def inputs(self) -> Sequence[str | Path]:
        """What decides about the content, for the cache's key; never a secret."""

    def programs_needed(self) -> Mapping[str, str]:
        """Programs of this host that `fetch` runs, and the Debian packages that have them."""

    def fetch(self, place: Workplace, cache: Cache) -> Ingredients:
        """Get everything into `place.scratch`, or point at the cache."""
