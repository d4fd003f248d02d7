"""The Debian part of the root image: packages installed by mmdebstrap, and the user `core`.

It is built once for a list of packages and cached; `root_image` adds all that changes more often to a copy. Files that
depend on the build host or the time of the build are removed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from cli.command import Argument, Commands, own_mounts
from image_build.base_iso import kernel_modules
from image_build.base_iso.chroot import Chroot
from image_build.base_iso.recipe import INGREDIENTS, Recipe
from image_build.cache import Cache, Workplace, cache_key
from image_build.reproducible import source_date_epoch

_INSTALL_SECONDS = 3600
_STEP_SECONDS = 300

# Created by maintainer scripts or copied from the build host; they would differ between hosts or builds.
_LEFTOVERS = (
    "etc/ssh/ssh_host_*", "etc/resolv.conf", "etc/hostname", "etc/machine-id", "var/lib/dbus/machine-id",
    "var/lib/apt/lists/*", "var/cache/apt/*.bin", "var/cache/apt/archives/*", "var/cache/ldconfig/aux-cache",
    "var/cache/debconf/*-old", "var/lib/dpkg/*-old", "var/log/*.log", "var/log/apt/*", "var/log/journal", "run/*",
    "tmp/*", "etc/passwd-", "etc/shadow-", "etc/group-", "etc/gshadow-", "etc/subuid-", "etc/subgid-",
)  # fmt: skip


def debian_root(recipe: Recipe, cache: Cache) -> Path:
    """A directory of the cache with `root/` (the tree, read-only) and `packages.json` (name to version)."""
    excludes = INGREDIENTS / "dpkg-excludes"
    key = cache_key([
        *recipe.package_lists, excludes, kernel_modules.UNUSED_MODULES, Path(__file__), Path(kernel_modules.__file__),
        recipe.suite, *recipe.mirrors, str(source_date_epoch()),
    ])  # fmt: skip
    return cache.obtain("debian-root", key, lambda place: _make(recipe, excludes, place))


def package_names(lists: tuple[Path, ...]) -> list[str]:
    """The names in package lists: one a line, `#` starts a comment."""
    lines = (line.partition("#")[0].strip() for path in lists for line in path.read_text().splitlines())
    return [line for line in lines if line]


def _make(recipe: Recipe, excludes: Path, place: Workplace) -> None:
    # INITRD=No: the kernel's maintainer script would build an unused initramfs.
    environment = {"SOURCE_DATE_EPOCH": str(source_date_epoch()), "INITRD": "No", "TMPDIR": str(place.scratch)}
    root = place.result / "root"
    mmdebstrap = Commands(place.log, environment, own_mounts())
    mmdebstrap.run(_mmdebstrap(recipe, excludes, root), timeout=_INSTALL_SECONDS)
    chroot = Chroot(root, Commands(place.log, environment))
    _write_package_versions(chroot, place.result / "packages.json")
    kernel_modules.remove_unused_modules(chroot)
    chroot.run(
        ["useradd", "--create-home", "--shell", "/bin/bash", "--groups", "sudo,adm,systemd-journal", "core"], timeout=60
    )
    compile_python(chroot, *(f"/{path.relative_to(root)}" for path in sorted(root.glob("usr/lib/python3*"))))
    _remove_leftovers(root)


def _mmdebstrap(recipe: Recipe, excludes: Path, root: Path) -> list[Argument]:
    return [
        "mmdebstrap", "--mode=root", "--variant=minbase", f"--components={recipe.components}",
        "--aptopt=Apt::Install-Recommends \"false\"", "--aptopt=Acquire::Check-Valid-Until \"false\"",
        f"--dpkgopt={excludes}", f"--include={','.join(package_names(recipe.package_lists))}",
        recipe.suite, root, *recipe.mirrors,
    ]  # fmt: skip


def _write_package_versions(chroot: Chroot, output: Path) -> None:
    listing = chroot.output(["dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n"], timeout=60)
    versions = dict(line.split(" ", 1) for line in listing.splitlines())
    output.write_bytes(msgspec.json.format(msgspec.json.encode(versions, order="sorted")))


def compile_python(chroot: Chroot, *directories: str) -> None:
    """Byte-compiles for the image's interpreter, without checks of time stamps or hashes at import: the image is
    read-only, and both would cost time at every start."""
    chroot.run(
        ["python3", "-m", "compileall", "-q", "-f", "-j", "0", "--invalidation-mode", "unchecked-hash", *directories],
        timeout=_STEP_SECONDS,
    )


def _remove_leftovers(root: Path) -> None:
    for pattern in _LEFTOVERS:
        for path in root.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
