"""Removes the kernel modules of hardware that no server has: a third of them, 39 MB that nothing can compress further.

`image-build/iso/unused-modules` lists them. What a remaining module needs stays, in every later kernel, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from image_build.base_iso.chroot import Chroot
from image_build.base_iso.recipe import INGREDIENTS

UNUSED_MODULES = INGREDIENTS / "unused-modules"
_DEPMOD_SECONDS = 300


def remove_unused_modules(chroot: Chroot) -> None:
    """Removes the files, and has depmod describe the rest."""
    version = kernel_version(chroot.root)
    modules = chroot.path(f"/usr/lib/modules/{version}")
    needs = read_dependencies((modules / "modules.dep").read_text())
    for name in unused(needs, patterns(UNUSED_MODULES.read_text())):
        (modules / name).unlink()
    chroot.run(["depmod", version], timeout=_DEPMOD_SECONDS)


def kernel_version(root: Path) -> str:
    """The one kernel in the tree, as `uname -r` prints it."""
    (modules,) = (root / "usr/lib/modules").iterdir()
    return modules.name


def read_dependencies(modules_dep: str) -> dict[str, list[str]]:
    """The path of each module, with the paths of all that it needs, directly or not: depmod's `modules.dep`."""
    lines = (line.partition(":") for line in modules_dep.splitlines())
    return {path: needed.split() for path, _, needed in lines}


def patterns(listing: str) -> list[str]:
    """The lines that are neither empty nor comments."""
    return [line for line in listing.splitlines() if line and not line.startswith("#")]


def unused(needs: Mapping[str, Iterable[str]], listed: Sequence[str]) -> list[str]:
    """The modules that match a pattern and that no other module needs."""
    matching = {path for path in needs if any(fnmatchcase(path, pattern) for pattern in listed)}
    needed = {path for user in needs.keys() - matching for path in needs[user]}
    return sorted(matching - needed)
