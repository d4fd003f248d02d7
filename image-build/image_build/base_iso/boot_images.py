"""The boot images that firmware loads: GRUB's core for BIOS, and a FAT file system with Debian's signed shim and GRUB.

Modules and signed programs come from the root tree, so that they have the version that is installed on disks. Only
`grub-mkimage` and mtools come from the build host. Nothing is mounted.
"""

from __future__ import annotations

import os
from pathlib import Path

from cli.command import Commands

BIOS_IMAGE = "boot/grub/bios.img"
_BIOS_MODULES = (
    "biosdisk", "iso9660", "part_gpt", "part_msdos", "ext2", "fat", "regexp",
    "linux", "normal", "configfile", "test", "echo", "serial", "terminal", "minicmd", "sleep", "reboot", "halt",
    "ls", "cat",
)  # fmt: skip
_ESP_SIZE = 6 << 20
_ESP_FILES = {
    # The names that firmware, shim and GRUB look for on removable media, and where Debian's packages have them.
    "BOOTX64.EFI": "usr/lib/shim/shimx64.efi.signed",
    "grubx64.efi": "usr/lib/grub/x86_64-efi-signed/gcdx64.efi.signed",
    "mmx64.efi": "usr/lib/shim/mmx64.efi.signed",
}


def hybrid_mbr(root: Path) -> Path:
    """The boot sector that lets BIOS start the ISO from a USB stick."""
    return root / "usr/lib/grub/i386-pc/boot_hybrid.img"


def make_bios_image(root: Path, output: Path, *, commands: Commands, scratch: Path) -> None:
    """Writes the El Torito boot image for BIOS: GRUB with all modules that `grub.cfg` uses."""
    modules = root / "usr/lib/grub/i386-pc"
    core = scratch / "core.img"
    commands.run(
        ["grub-mkimage", "--directory", modules, "--format", "i386-pc", "--prefix", "/boot/grub", "--output", core,
         *_BIOS_MODULES],
        timeout=60,
    )  # fmt: skip
    output.write_bytes((modules / "cdboot.img").read_bytes() + core.read_bytes())


def make_efi_image(root: Path, output: Path, *, commands: Commands, epoch: int) -> None:
    """Writes the FAT file system for UEFI. Its serial number is the epoch, so equal inputs give equal bytes."""
    with output.open("wb") as image:
        image.truncate(_ESP_SIZE)
    commands.run(
        ["mkfs.fat", "--invariant", "-i", f"{epoch & 0xFFFFFFFF:08x}", "-n", "CLUSTER0EFI", output], timeout=60
    )
    commands.run(["mmd", "-i", output, "::/EFI", "::/EFI/BOOT"], timeout=60)
    for name, source in _ESP_FILES.items():
        os.utime(root / source, (epoch, epoch))
        commands.run(["mcopy", "-m", "-i", output, root / source, f"::/EFI/BOOT/{name}"], timeout=60)
