"""Recognises a disk that an install of this cluster has finished: its host may have been booted from the medium again.

Firmware that tries a medium or the network before the disk boots the live system on an installed host. Then nothing may
be written to the disk, unless the kernel command line requests it (docs/design/boot.md). The search itself writes
nothing: it mounts read-only, and replays no journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from agent.install.layout import BOOT, INSTALL_ARGUMENT, Layout, Part
from agent.install.mounts import mounted, unmount_leftovers
from agent.install.probe import disk_content
from agent.machine import Files, Machine, ProcessFailed
from agent.model.problems import Problem

log = logging.getLogger(__name__)

EACH_TIME = "again"
"""This value installs at each boot: the user has chosen it in a boot menu. Any other word installs once."""
LONGEST_WORD = 64

_SETTLE_SECONDS = 30


@dataclass(frozen=True)
class InstalledDisk:
    """`path`, `boot`: of the disk and its boot partition. `is_own`: installed as this host, not as another one of the
    cluster. `word`: of the kernel command line that it was installed with."""

    path: str
    boot: str
    is_own: bool
    word: str

    def is_kept(self, word: str) -> bool:
        """Whether a boot with `word` on its kernel command line leaves the installed system as it is."""
        return word == "" or (word == self.word and word != EACH_TIME)


def requested_word(files: Files) -> str:
    """The value of `cluster0.install=` on the kernel command line, the last one; empty: there is none."""
    words = files.read("/proc/cmdline", "").split()
    values = [word.removeprefix(INSTALL_ARGUMENT) for word in words if word.startswith(INSTALL_ARGUMENT)]
    return values[-1][:LONGEST_WORD] if values else ""


async def installed_disks(machine: Machine, cluster_id: str, host_id: str) -> tuple[InstalledDisk, ...]:
    """The disks of this machine that have the marker of the cluster. Raises `ProcessFailed`."""
    await machine.processes.run(["udevadm", "settle", f"--timeout={_SETTLE_SECONDS}"], timeout=60, check=False)
    await unmount_leftovers(machine)
    candidates = await asyncio.to_thread(_candidates, machine.files)
    layouts = [Layout(disk=path, cluster_id=cluster_id, host_id=host_id) for path in candidates]
    looked_at = [await _installed_disk(machine, layout) for layout in layouts]
    return tuple(disk for disk in looked_at if disk is not None)


async def require_not_installed(machine: Machine, layout: Layout) -> None:
    """The last look before an install writes to `layout.disk`: a disk may have appeared late.

    Raises Problem `already-installed`.
    """
    word = requested_word(machine.files)
    for disk in await installed_disks(machine, layout.cluster_id, layout.host_id):
        if (disk.is_own or disk.path == layout.disk) and disk.is_kept(word):
            raise already_installed(disk, "Nothing was written to it.")


def already_installed(disk: InstalledDisk, detail: str) -> Problem:
    whose = "This host" if disk.is_own else "Another host of this cluster"
    return Problem(
        code="already-installed",
        title=f"{whose} is installed on {disk.path} already.",
        detail=detail,
        remedy="Put the disk first in the firmware's boot order and restart this host. To install it again, choose "
        f'"Install again" in the boot menu of the ISO, or add {INSTALL_ARGUMENT}WORD to the kernel command line.',
    )


async def _installed_disk(machine: Machine, layout: Layout) -> InstalledDisk | None:
    for item in (await disk_content(machine, layout.disk)).found:
        if item.is_partition and item.label == BOOT.name:
            word = await _marker(machine, item.path, layout.marker)
            if word is not None:
                return InstalledDisk(layout.disk, item.path, is_own=item.guid == layout.guid(Part.BOOT), word=word)
    return None


def _candidates(files: Files) -> list[str]:
    """Disks that may have a boot partition of ours, from the kernel alone: it takes programs and a mount to look."""
    return [
        f"/dev/{disk}"
        for disk in files.names("/sys/block")
        for partition in files.names(f"/sys/block/{disk}")
        if _may_be_boot(files.attribute(f"/sys/block/{disk}/{partition}/uevent").splitlines())
    ]


def _may_be_boot(uevent: Sequence[str]) -> bool:
    """The kernel knows no name of a partition that a program has added since the boot."""
    names = [line for line in uevent if line.startswith("PARTNAME=")]
    return f"PARTN={BOOT.number}" in uevent and names in ([], [f"PARTNAME={BOOT.name}"])


async def _marker(machine: Machine, device: str, name: str) -> str | None:
    """What the marker holds; None: there is no marker, or no file system that can be mounted."""
    try:
        async with mounted_unchanged(machine, device) as boot:
            return await asyncio.to_thread(_read_marker, boot / name)
    except ProcessFailed as failure:
        log.warning("%s is not considered: %s", device, failure)
        return None


def mounted_unchanged(machine: Machine, device: str) -> AbstractAsyncContextManager[Path]:
    """The ext4 file system of `device`, without any write to it."""
    return mounted(machine, device, "installed", options="ro,noload,nosuid,nodev,noexec")


def _read_marker(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8", errors="replace") as marker:
            return marker.read(LONGEST_WORD)
    except OSError:
        return None
