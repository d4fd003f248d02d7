"""What is in the ISO that this host booted, as node0's programs read it."""

from __future__ import annotations

import msgspec

from agent.machine.files import Files
from agent.model import host_paths


class Payload(msgspec.Struct, frozen=True):
    kubernetes_version: str = "unknown"


class Release(msgspec.Struct, frozen=True):
    """The part of `release.json` that says versions; `unknown` where there is none."""

    version: str = "unknown"
    payload: Payload = Payload()


def read(files: Files) -> Release:
    return files.load(host_paths.RELEASE_FILE, Release) or Release()
