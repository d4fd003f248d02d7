"""Queries to a kubeadm binary on the build host; they need neither cluster nor network."""

from __future__ import annotations

import json
from pathlib import Path

from agent.model.payload import KubeadmApi
from cli.command import Commands

SECONDS = 60.0


def version(kubeadm: Path, commands: Commands) -> str:
    """The release, for example `v1.20.2`."""
    return commands.output([kubeadm, "version", "--output=short"], timeout=SECONDS).strip()


def required_images(
    kubeadm: Path, scratch: Path, commands: Commands, *, image_repository: str | None, etcd_tag: str | None
) -> tuple[str, ...]:
    """References of all images that `kubeadm init` and `join` use with this configuration."""
    release = version(kubeadm, commands)
    configuration = {
        "apiVersion": KubeadmApi.of(release),
        "kind": "ClusterConfiguration",
        "kubernetesVersion": release,
        **({"imageRepository": image_repository} if image_repository else {}),
        **({"etcd": {"local": {"imageTag": etcd_tag}}} if etcd_tag else {}),
    }
    file = scratch / "kubeadm.json"
    file.write_text(json.dumps(configuration))
    listing = commands.output([kubeadm, "config", "images", "list", "--config", file], timeout=SECONDS)
    return tuple(line.strip() for line in listing.splitlines() if line.strip())


def name_of(reference: str) -> str:
    """`example.org/team/etcd:3.4.23` is `etcd`."""
    return reference.rpartition("/")[2].partition(":")[0]
