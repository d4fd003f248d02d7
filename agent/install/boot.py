"""Makes a finished disk bootable, both for BIOS and for UEFI, because the machine's firmware setting may change.

Until then, firmware that tries the disk continues with the next boot device: a BIOS because our boot sector requests
it, UEFI because the EFI system partition is empty.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from agent.install import grub
from agent.install.installed_disk import requested_word
from agent.install.layout import PARTITIONS, Layout, Part
from agent.install.mounts import mounted
from agent.machine import Machine, ProcessFailed

log = logging.getLogger(__name__)

# int 0x18: the BIOS tries the next boot device; where the interrupt returns instead, hlt in a loop.
_NEXT_DEVICE = bytes.fromhex("cd18 f4 ebfd")
_BOOT_CODE_SIZE = 440  # bytes of the first sector, before the disk signature and the partition table

_EFI_LABEL = "cluster0"
# BOOTX64.EFI last: until it is there, firmware sees no boot loader.
_EFI_FILES = (
    ("usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed", "grubx64.efi"),
    ("usr/lib/shim/mmx64.efi.signed", "mmx64.efi"),
    ("usr/lib/shim/shimx64.efi.signed", "BOOTX64.EFI"),
)


def make_bios_skip_disk(machine: Machine, disk: str) -> None:
    """Write a boot sector to `disk` (/dev/sda) with which a BIOS continues with its next boot device.

    Without it the BIOS would execute zeros, or the boot loader of an earlier system. Raises OSError.
    """
    with machine.files.at(disk).open("r+b", buffering=0) as device:
        device.write(_NEXT_DEVICE.ljust(_BOOT_CODE_SIZE, b"\0"))
        os.fsync(device.fileno())


async def make_bootable(machine: Machine, layout: Layout, kernel_arguments: Sequence[str] = ()) -> None:
    """Write the menu, GRUB for BIOS, the EFI system partition, and then the marker of a finished disk.

    The order of the writes matters: power may fail at any moment. `kernel_arguments`: those of this host, in addition
    to those of the running kernel. Raises `ProcessFailed` and OSError.
    """
    live_arguments = machine.files.read("/proc/cmdline")
    async with mounted(machine, layout.device(Part.BOOT), "boot") as boot:
        menu = grub.menu(grub.kernel_arguments(layout, live_arguments, kernel_arguments))
        await asyncio.to_thread(_write, boot / "grub/grub.cfg", menu)
        await machine.processes.run(["sync", "--file-system", str(boot)])
        await _install_for_bios(machine, layout, boot)
        await _install_for_efi(machine, layout)
        await asyncio.to_thread(_write, boot / layout.marker, requested_word(machine.files))
        await machine.processes.run(["sync", "--file-system", str(boot)])
    await _set_boot_order(machine, layout)


async def _install_for_bios(machine: Machine, layout: Layout, boot: Path) -> None:
    """Power may fail: grub-install writes the boot sector last, after the files that it loads."""
    argv = ["grub-install", "--target=i386-pc", f"--boot-directory={boot}", "--no-floppy", layout.disk]
    await machine.processes.run(argv, timeout=300)


async def _install_for_efi(machine: Machine, layout: Layout) -> None:
    async with mounted(machine, layout.device(Part.ESP), "esp", kind="vfat", options="rw,umask=0077") as esp:
        await asyncio.to_thread(_write, esp / "EFI/debian/grub.cfg", grub.efi_stub(layout))
        for source, name in _EFI_FILES:
            await machine.processes.run(["sync", "--file-system", str(esp)])
            await asyncio.to_thread(_replace, esp / "EFI/BOOT" / name, machine.files.at(source))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _replace(path: Path, source: Path) -> None:
    """Copy `source` to `path` by a rename, so that firmware never sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    shutil.copyfile(source, new)
    new.rename(path)


async def _set_boot_order(machine: Machine, layout: Layout) -> None:
    """Create an EFI boot entry for the disk, and set BootNext to it.

    A failure is only a warning: the firmware still finds the fallback path EFI/BOOT/BOOTX64.EFI.
    """
    if not machine.files.at("/sys/firmware/efi/efivars").is_dir():
        return
    number = next(partition.number for partition in PARTITIONS if partition.part is Part.ESP)
    entry = ["--disk", layout.disk, "--part", str(number), "--label", _EFI_LABEL, "--loader", r"\EFI\BOOT\BOOTX64.EFI"]
    try:
        for old in efi_entries((await machine.processes.run(["efibootmgr"])).stdout):
            await machine.processes.run(["efibootmgr", "--bootnum", old, "--delete-bootnum"])
        created = await machine.processes.run(["efibootmgr", "--create", *entry])
        for new in efi_entries(created.stdout):
            await machine.processes.run(["efibootmgr", "--bootnext", new])
    except ProcessFailed as failure:
        log.warning("The firmware's boot order is unchanged: %s", failure)


def efi_entries(listing: str) -> list[str]:
    """Numbers ("0003") of the boot entries labelled cluster0, from the output of `efibootmgr`."""
    return re.findall(rf"^Boot([0-9A-F]{{4}})[* ] {_EFI_LABEL}(?:\t.*)?$", listing, flags=re.MULTILINE)
