"""Which block devices are mounted where."""

from __future__ import annotations

from agent.machine import Files


def mount_points(files: Files) -> dict[str, tuple[str, ...]]:
    """Device number "major:minor" to its mount points."""
    return parse(files.attribute("/proc/self/mountinfo"))


def mounted_device(files: Files, point: str) -> str:
    """Path of what is mounted at `point`; empty when nothing is."""
    for fields in map(str.split, files.attribute("/proc/self/mountinfo").splitlines()):
        if fields[4] == point:
            return fields[fields.index("-") + 2]
    return ""


def parse(mountinfo: str) -> dict[str, tuple[str, ...]]:
    """Third and fifth field of `mountinfo`, see proc(5)."""
    found: dict[str, tuple[str, ...]] = {}
    for fields in map(str.split, mountinfo.splitlines()):
        found[fields[2]] = (*found.get(fields[2], ()), fields[4])
    return found
