"""One file that boots as CD and, copied with dd, as USB stick; by BIOS and by UEFI."""

from __future__ import annotations

from pathlib import Path

from cli.command import Commands
from image_build.base_iso.boot_images import BIOS_IMAGE

BUILD_SECONDS = 600


def write_hybrid_iso(
    tree: Path, output: Path, *, label: str, mbr: Path, efi_image: Path, epoch: int, commands: Commands
) -> None:
    """Writes the ISO at `output` from `tree`.

    label: of the volume, which the initramfs looks for; 32 characters at most.
    commands: its environment must have SOURCE_DATE_EPOCH, which fixes all time stamps and the volume's UUID.
    """
    # fmt: off
    commands.run(
        [
            "xorriso", "-as", "mkisofs", "-quiet", "-V", label, "-r", "-J", "-iso-level", "3",
            "--set_all_file_dates", f"={epoch}",
            "--grub2-mbr", mbr, "-partition_offset", "16", "--mbr-force-bootable",
            "-append_partition", "2", "0xef", efi_image, "-appended_part_as_gpt",
            "-b", BIOS_IMAGE, "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "--grub2-boot-info",
            "-eltorito-alt-boot", "-e", "--interval:appended_partition_2:all::", "-no-emul-boot",
            "-o", output, tree,
        ],
        timeout=BUILD_SECONDS,
    )
    # fmt: on
