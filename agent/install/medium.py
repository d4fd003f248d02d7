"""The medium this host was booted from: what is to be copied from it, and its checksums."""

from __future__ import annotations

import msgspec

from agent.machine import Machine
from agent.model.host_paths import MEDIUM_MOUNT
from agent.model.problems import Problem

CONTENTS_FILE = f"{MEDIUM_MOUNT}/cluster0.json"
# In this order: the largest last, so that a damaged kernel is noticed at once.
COPIED = ("live/vmlinuz", "live/initrd.img", "live/rootfs.img")


class FileDigest(msgspec.Struct, frozen=True, kw_only=True):
    """`size` in bytes, `sha256` in hexadecimal."""

    size: int
    sha256: str


class Medium(msgspec.Struct, frozen=True, kw_only=True):
    """The part of `cluster0.json` that an install needs (docs/design/image.md). `files`: by path on the medium."""

    files: dict[str, FileDigest]

    @property
    def total(self) -> int:
        return sum(self.files[path].size for path in COPIED)


def read_medium(machine: Machine) -> Medium:
    """Raises Problem `medium-unknown` when the mounted medium is not one of our ISOs."""
    try:
        medium = machine.files.load(CONTENTS_FILE, Medium)
    except Problem as problem:
        raise _unknown(str(problem)) from problem
    if medium is None or not set(COPIED) <= set(medium.files):
        raise _unknown(f"{CONTENTS_FILE} does not name all of {', '.join(COPIED)}.")
    return medium


def _unknown(detail: str) -> Problem:
    return Problem(
        code="medium-unknown",
        title="The medium this host was booted from has no list of its files.",
        detail=detail,
        remedy="Make the ISO again, write it to the medium again, and boot this host from it.",
    )
