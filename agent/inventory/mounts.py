"""Which block devices are mounted where."""

from __future__ import annotations

from agent.machine import Files


def mount_points(files: Files) -> dict[str, tuple[str, ...]]:
    """Device number "major:minor" to its mount points."""
    return parse(files.attribute("/proc/self/mountinfo"))


def parse(mountinfo: str) -> dict[str, tuple[str, ...]]:
    """Third and fifth field of `mountinfo`, see proc(5)."""
    found: dict[str, tuple[str, ...]] = {}
    for fields in map(str.split, mountinfo.splitlines()):
        found[fields[2]] = (*found.get(fields[2], ()), fields[4])
    return found
