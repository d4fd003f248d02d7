"""Starts an installed system from the live one, past the firmware: kexec with what the disk's own GRUB would start.

It works under BIOS, UEFI and Secure Boot: the kernel loads the new kernel itself, and verifies its signature where
Secure Boot is on. Alternatives are in docs/design/boot.md.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from agent.install import grub
from agent.install.installed_disk import InstalledDisk, already_installed, mounted_unchanged
from agent.machine import Machine, ProcessFailed

_LARGEST_MENU = 64 << 10


async def start_installed(machine: Machine, disk: InstalledDisk) -> None:
    """Have this machine go down and start the system on `disk`.

    Raises Problem `already-installed` when that fails; the disk is unchanged then, and the user has to act.
    """
    try:
        async with mounted_unchanged(machine, disk.boot) as boot:
            await asyncio.to_thread(_load, machine, boot)
        await machine.processes.run(["systemctl", "kexec"])
    except (ProcessFailed, OSError, ValueError) as error:
        raise already_installed(disk, f"It cannot be started from here: {error}") from error


def _load(machine: Machine, boot: Path) -> None:
    with (boot / "grub/grub.cfg").open() as menu:
        entry = grub.entry(menu.read(_LARGEST_MENU))
    machine.kernel.load_next(boot / entry.kernel, boot / entry.initramfs, entry.arguments)
