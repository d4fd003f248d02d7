"""The ISO and the directory that it is made from (docs/design/image.md).

It is one file that boots as a CD and, copied with dd, as a USB stick; by BIOS and by UEFI.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cli.command import Commands
from image_build.base_iso import boot_images
from image_build.base_iso.initramfs import Initramfs
from image_build.base_iso.recipe import INGREDIENTS
from image_build.iso_format import kargs
from image_build.iso_format.release import (
    INITRAMFS,
    KERNEL,
    NETWORK,
    RELEASE_PATH,
    ROOT_IMAGE,
    Area,
    Areas,
    FileDigest,
    ImageRelease,
    IsoRelease,
)

_XORRISO_SECONDS = 600
_GRUB = INGREDIENTS / "grub/grub.cfg"


@dataclass(frozen=True)
class LiveFiles:
    """The files that boot from the ISO, on the build host."""

    kernel: Path
    initramfs: Initramfs
    root_image: Path

    def by_path(self) -> dict[str, Path]:
        """Path in the ISO → file."""
        return {
            KERNEL: self.kernel, INITRAMFS: self.initramfs.image, ROOT_IMAGE: self.root_image,
            # Only for hosts that boot without this ISO: `create pxe-files` reads it from here.
            NETWORK: self.initramfs.network,
        }  # fmt: skip


def write_live_iso(
    live: LiveFiles,
    output: Path,
    *,
    root: Path,
    release: ImageRelease,
    embed_area: int,
    epoch: int,
    scratch: Path,
    commands: Commands,
) -> IsoRelease:
    """Writes the ISO at `output`. `root`: the tree that contains the boot loaders."""
    tree = scratch / "iso"
    document = _describe(live, release, embed_area)
    _fill(tree, live, document)
    boot_images.make_bios_image(root, tree / boot_images.BIOS_IMAGE, commands=commands, scratch=scratch)
    efi_image = scratch / "efi.img"
    boot_images.make_efi_image(root, efi_image, commands=commands, epoch=epoch)
    _write_hybrid_iso(
        tree,
        output,
        label=document.label,
        mbr=boot_images.hybrid_mbr(root),
        efi_image=efi_image,
        epoch=epoch,
        commands=commands,
    )
    return document


def _describe(live: LiveFiles, release: ImageRelease, embed_area: int) -> IsoRelease:
    return IsoRelease(
        **msgspec.structs.asdict(release),
        # Other sticks in the host may be cluster0's too: the label says which build the initramfs belongs to.
        label=f"CLUSTER0-{release.build_id[:8].upper()}",
        areas=Areas(ignition=Area(path="images/ignition.img", size=embed_area)),
        files={name: _digest(path) for name, path in live.by_path().items()},
    )


def _fill(tree: Path, live: LiveFiles, document: IsoRelease) -> None:
    for name, path in live.by_path().items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(path, tree / name)
    menu = _GRUB.read_text().replace("@LABEL@", document.label).replace("@ARGUMENTS@", kargs.LIVE)
    contents = {
        RELEASE_PATH: msgspec.json.format(msgspec.json.encode(document)),
        document.areas.ignition.path: bytes(document.areas.ignition.size),
        document.areas.kargs.path: kargs.render({}, size=document.areas.kargs.size),
        "boot/grub/grub.cfg": menu.encode(),
        # Where Debian's signed GRUB for removable media looks; it recognises its medium by .disk/info.
        "boot/grub/x86_64-efi/grub.cfg": b"source /boot/grub/grub.cfg\n",
        ".disk/info": f"cluster0 {document.version} {document.build_id}\n".encode(),
    }
    for name, content in contents.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(content)


def _digest(path: Path) -> FileDigest:
    with path.open("rb") as content:
        return FileDigest(size=path.stat().st_size, sha256=hashlib.file_digest(content, "sha256").hexdigest())


def _write_hybrid_iso(
    tree: Path, output: Path, *, label: str, mbr: Path, efi_image: Path, epoch: int, commands: Commands
) -> None:
    """Writes the ISO at `output` from `tree`.

    label: of the volume, which the initramfs looks for; at most 32 characters.
    commands: its environment must have SOURCE_DATE_EPOCH, which fixes all time stamps and the volume's UUID.
    """
    # fmt: off
    commands.run(
        [
            "xorriso", "-as", "mkisofs", "-quiet", "-V", label, "-r", "-J", "-iso-level", "3",
            "--set_all_file_dates", f"={epoch}",
            "--grub2-mbr", mbr, "-partition_offset", "16", "--mbr-force-bootable",
            "-append_partition", "2", "0xef", efi_image, "-appended_part_as_gpt",
            "-b", boot_images.BIOS_IMAGE, "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table",
            "--grub2-boot-info",
            "-eltorito-alt-boot", "-e", "--interval:appended_partition_2:all::", "-no-emul-boot",
            "-o", output, tree,
        ],
        timeout=_XORRISO_SECONDS,
    )
    # fmt: on
