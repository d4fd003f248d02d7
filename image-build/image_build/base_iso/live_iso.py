"""The directory that becomes the ISO (docs/design/image.md), and the ISO."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cli.command import Commands
from image_build.base_iso import boot_images
from image_build.base_iso.hybrid import write_hybrid_iso
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

_GRUB = INGREDIENTS / "grub/grub.cfg"


@dataclass(frozen=True)
class LiveFiles:
    """What is started from the ISO, as files on the build host."""

    kernel: Path
    initramfs: Initramfs
    root_image: Path

    def by_path(self) -> dict[str, Path]:
        """By their place in the ISO."""
        return {
            KERNEL: self.kernel, INITRAMFS: self.initramfs.image, ROOT_IMAGE: self.root_image,
            # Only for hosts that boot without this ISO: `create image` takes it from here.
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
    """Writes the ISO at `output`. `root`: the tree that boot loaders are taken from."""
    tree = scratch / "iso"
    document = _describe(live, release, embed_area)
    _fill(tree, live, document)
    boot_images.make_bios_image(root, tree / boot_images.BIOS_IMAGE, commands=commands, scratch=scratch)
    efi_image = scratch / "efi.img"
    boot_images.make_efi_image(root, efi_image, commands=commands, epoch=epoch)
    write_hybrid_iso(
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
        # Where Debian's signed GRUB for removable media looks, and the file by which it recognises its medium.
        "boot/grub/x86_64-efi/grub.cfg": b"source /boot/grub/grub.cfg\n",
        ".disk/info": f"cluster0 {document.version} {document.build_id}\n".encode(),
    }
    for name, content in contents.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(content)


def _digest(path: Path) -> FileDigest:
    with path.open("rb") as content:
        return FileDigest(size=path.stat().st_size, sha256=hashlib.file_digest(content, "sha256").hexdigest())
