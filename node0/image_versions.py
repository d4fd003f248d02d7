"""The versions of cluster0 and Kubernetes in the image that this host booted."""

from __future__ import annotations

import msgspec

from agent.machine.files import Files
from agent.model import host_paths


class PayloadVersion(msgspec.Struct, frozen=True):
    kubernetes_version: str = "unknown"


class ImageVersions(msgspec.Struct, frozen=True):
    """The versions in `release.json`; `unknown` without that file. `version`: of cluster0."""

    version: str = "unknown"
    payload: PayloadVersion = PayloadVersion()


def read(files: Files) -> ImageVersions:
    return files.load(host_paths.RELEASE_FILE, ImageVersions) or ImageVersions()
