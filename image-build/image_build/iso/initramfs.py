"""The initramfs, built by dracut inside the root that it will start: one for the live ISO and the installed disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from image_build.cache import Cache, Workplace, cache_key
from image_build.command import Commands
from image_build.iso.chroot import Chroot
from image_build.iso.recipe import INGREDIENTS, source_date_epoch
from image_build.iso.tree_hash import tree_hash
from image_build.iso.trees import lay_over, linked_copy, put

_DRACUT_SECONDS = 900
_MODULE = "90cluster0"


def initramfs(debian: Path, cache: Cache) -> Path:
    """The initramfs for the tree that `debian_root` made at `debian`, as a file in the cache."""
    key = cache_key([debian.name, tree_hash(INGREDIENTS / "dracut"), Path(__file__)])
    return cache.obtain("initramfs", key, lambda place: _make(debian / "root", place)) / "initrd.img"


def install_dracut_files(root: Path) -> None:
    """Puts module and configuration where dracut finds them; in the image too, so that a later kernel gets the same."""
    lay_over(INGREDIENTS / "dracut" / _MODULE, root / "usr/lib/dracut/modules.d" / _MODULE)
    put(INGREDIENTS / "dracut/cluster0.conf", root / "etc/dracut.conf.d/cluster0.conf")


def _make(debian: Path, place: Workplace) -> None:
    commands = Commands(place.log, {"SOURCE_DATE_EPOCH": str(source_date_epoch())})
    root = linked_copy(debian, place.scratch / "root", commands)
    install_dracut_files(root)
    chroot = Chroot(root, commands)
    kernel = kernel_version(root)
    chroot.run(["dracut", "--force", "--kver", kernel, "/initrd.img"], timeout=_DRACUT_SECONDS)
    shutil.move(root / "initrd.img", place.result / "initrd.img")
    (place.result / "initrd.img").chmod(0o644)


def kernel_version(root: Path) -> str:
    """The one kernel in the tree, as `uname -r` will say."""
    (modules,) = (root / "usr/lib/modules").iterdir()
    return modules.name
