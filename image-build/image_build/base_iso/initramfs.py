"""The initramfs, built by dracut inside the root that it will start: the same for the live ISO and the installed disk.

Hosts without a medium load a second archive after it, which fetches the root image.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from cli.command import Commands
from image_build.base_iso.chroot import Chroot
from image_build.base_iso.kernel_modules import kernel_version
from image_build.base_iso.recipe import INGREDIENTS
from image_build.base_iso.trees import lay_over, linked_copy, put
from image_build.cache import Cache, Workplace, cache_key
from image_build.reproducible import source_date_epoch, tree_hash

_DRACUT_SECONDS = 900
_MODULES = ("90cluster0", "91cluster0-network")
_NETWORK_PART = INGREDIENTS / "dracut/network-part.sh"


@dataclass(frozen=True)
class Initramfs:
    """`directory`: in the cache; its name is the hash of its inputs."""

    directory: Path

    @property
    def image(self) -> Path:
        return self.directory / "initrd.img"

    @property
    def network(self) -> Path:
        """Loaded after `image`: NIC drivers and the programs that fetch the root image."""
        return self.directory / "network.img"


def initramfs(debian: Path, cache: Cache) -> Initramfs:
    """The initramfs for the tree that `debian_root` made at `debian`."""
    key = cache_key([debian.name, tree_hash(INGREDIENTS / "dracut"), Path(__file__)])
    return Initramfs(cache.obtain("initramfs", key, lambda place: _make(debian / "root", place)))


def install_dracut_files(root: Path) -> None:
    """Installs our dracut modules and configuration; in the image too, so that a later kernel gets the same."""
    for module in _MODULES:
        lay_over(INGREDIENTS / "dracut" / module, root / "usr/lib/dracut/modules.d" / module)
    put(INGREDIENTS / "dracut/cluster0.conf", root / "etc/dracut.conf.d/cluster0.conf")


def _make(debian: Path, place: Workplace) -> None:
    commands = Commands(place.log, {"SOURCE_DATE_EPOCH": str(source_date_epoch())})
    root = linked_copy(debian, place.scratch / "root", commands)
    install_dracut_files(root)
    put(_NETWORK_PART, root / "network-part.sh")
    chroot = Chroot(root, commands)
    dracut = ["dracut", "--force", "--kver", kernel_version(root)]
    chroot.run([*dracut, "/initrd.img"], timeout=_DRACUT_SECONDS)
    # Not compressed, because that takes long and only the difference is kept.
    with_network = ["--no-compress", "--add", _MODULES[-1].lstrip("0123456789"), "/whole.img"]
    chroot.run([*dracut, *with_network], timeout=_DRACUT_SECONDS)
    chroot.run(["/network-part.sh", "/initrd.img", "/whole.img", "/network.img"], timeout=_DRACUT_SECONDS)
    made = Initramfs(place.result)
    for image in (made.image, made.network):
        shutil.move(root / image.name, image)
        image.chmod(0o644)
