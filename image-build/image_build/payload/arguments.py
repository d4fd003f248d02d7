"""Makes a source from the options of `payload build`, and checks that they fit together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from agent.model.payload import PayloadSource
from image_build.payload.apt import AptRepository
from image_build.payload.debian import DebianSource
from image_build.payload.registry import Registry
from image_build.payload.source import Source
from image_build.payload.upstream import UpstreamSource

OPTIONS_OF = {
    PayloadSource.DEBIAN: {"mirror"},
    PayloadSource.UPSTREAM: {
        "kubernetes_version", "apt_repository", "apt_key", "apt_auth",
        "registry", "registry_mirror", "registry_auth", "ca_file", "network_plugin",
    },
}  # fmt: skip


def source_from(kind: PayloadSource, given: Mapping[str, Any]) -> Source:
    """`given`: the user's options by parameter name. Raises `click.UsageError` when they do not fit together."""
    foreign = sorted(f"--{name.replace('_', '-')}" for name in given.keys() - OPTIONS_OF[kind])
    if foreign:
        raise click.UsageError(f"--source {kind} does not take {', '.join(foreign)}.")
    match kind:
        case PayloadSource.DEBIAN:
            return DebianSource(mirror=given.get("mirror"))
        case PayloadSource.UPSTREAM:
            return _upstream(given)


def _upstream(given: Mapping[str, Any]) -> UpstreamSource:
    release = re.fullmatch(r"v?(1\.\d+\.\d+)", given.get("kubernetes_version", ""))
    if release is None:
        raise click.UsageError("--source upstream needs --kubernetes-version, a whole release such as 1.33.1.")
    if "apt_key" in given and "apt_repository" not in given:
        raise click.UsageError("--apt-key belongs to --apt-repository; this host's own repositories have their keys.")
    return UpstreamSource(
        version=release[1],
        repository=AptRepository(
            line=given.get("apt_repository"),
            key=given.get("apt_key"),
            ca_file=given.get("ca_file"),
            credentials=given.get("apt_auth"),
        ),
        registry=Registry(
            mirror=given.get("registry_mirror"), ca_file=given.get("ca_file"), credentials=given.get("registry_auth")
        ),
        image_repository=given.get("registry"),
        network_plugin=given.get("network_plugin"),
    )
