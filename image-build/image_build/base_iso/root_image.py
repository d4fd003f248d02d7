"""The root image: the Debian tree with our configuration, units, programs, payload and images; then compressed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agent.model.payload import PayloadManifest
from cli.command import Commands
from image_build.base_iso.chroot import Chroot
from image_build.base_iso.image_store import ImageStore
from image_build.base_iso.initramfs import install_dracut_files
from image_build.base_iso.programs import install_programs
from image_build.base_iso.recipe import INGREDIENTS, UNITS
from image_build.base_iso.trees import lay_over, linked_copy, make_parents, put, put_link, put_text
from image_build.iso_format.release import ImageRelease

_OVERLAY = INGREDIENTS / "overlay"
_SHARE = "usr/share/cluster0"

_MASKED = {
    "etc/systemd/system": (
        "systemd-firstboot.service",  # asks questions
        # Compute at every boot what is fixed in a read-only image.
        "ldconfig.service", "systemd-journal-catalog-update.service",
        "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount",
        # Unpacks the initramfs at every shutdown; ours needs none.
        "dracut-shutdown.service",
        # cluster0-network-verify.service waits for the right connections instead.
        "NetworkManager-wait-online.service",
        # A host's name comes from its configuration; NetworkManager would start this only to query it.
        "systemd-hostnamed.service", "systemd-hostnamed.socket",
        # A service manager for each login session, without any units.
        "user@.service",
        # Interfaces of FUSE, LIO and seats, which no program here uses; a program that does can mount them.
        "sys-fs-fuse-connections.mount", "modprobe@fuse.service",
        "sys-kernel-config.mount", "modprobe@configfs.service", "modprobe@drm.service",
    ),
    # Search for what no host of ours has, and load kernel modules or read disks for it.
    "etc/systemd/system-generators": (
        "systemd-bless-boot-generator", "systemd-cryptsetup-generator", "systemd-gpt-auto-generator",
        "systemd-hibernate-resume-generator", "systemd-integritysetup-generator", "systemd-rc-local-generator",
        "systemd-ssh-generator", "systemd-sysv-generator", "systemd-tpm2-generator", "systemd-veritysetup-generator",
    ),
}  # fmt: skip
# Where a file of `units/` goes, by its place there: the rule of units/README.md.
_SYSTEM = Path("usr/lib/systemd/system")
_UNIT_PLACES = {
    "presets/*.preset": Path("usr/lib/systemd/system-preset"),
    "tmpfiles/*.conf": Path("usr/lib/tmpfiles.d"),
    "*/*.service": _SYSTEM,
    "*/*.socket": _SYSTEM,
    "*/*.target": _SYSTEM,
    "*/*.mount": _SYSTEM,
    "*/*.path": _SYSTEM,
    "*/*.timer": _SYSTEM,
}
_DROP_INS = "*/*.d/*.conf"

_SQUASHFS_SECONDS = 3600
_LEFT_OUT = (
    # The kernel and its initramfs are separate files of the ISO, as is the GRUB that starts it.
    "boot/vmlinuz*", "boot/initrd*", "usr/lib/grub/x86_64-efi-signed/gcdx64.efi.signed",
    # Exists only on a running system.
    "proc/*", "sys/*", "dev/*", "run/*", "tmp/*", "mnt/*",
    # The sources of hwdb.bin, and what Python's package must find when it is configured: tests and interactive help.
    "usr/lib/udev/hwdb.d/*", "usr/lib/python3*/test/*", "usr/lib/python3*/pydoc_data/*",
)  # fmt: skip
_FAST = ("-Xcompression-level", "3")
_SMALL = ("-Xcompression-level", "19", "-b", "256K")

# Units with ConditionNeedsUpdate= compare these with the time stamp of /usr.
_UP_TO_DATE = ("etc/.updated", "var/.updated")


@dataclass(frozen=True)
class Parts:
    """The parts of a root tree. `payload`: the directory that `manifest` describes."""

    debian: Path
    payload: Path
    manifest: PayloadManifest
    store: ImageStore
    release: ImageRelease


def compose_root(parts: Parts, tree: Path, commands: Commands) -> None:
    """Makes the new directory `tree` the root file system of the image."""
    linked_copy(parts.debian / "root", tree, commands)
    chroot = Chroot(tree, commands)
    lay_over(_OVERLAY, tree)
    install_dracut_files(tree)
    install_units(UNITS, tree)
    install_programs(chroot)
    _install_payload(parts, tree)
    _install_store(parts.store, tree, commands)
    put_text(msgspec.json.encode(parts.release).decode(), tree / _SHARE / "release.json")
    _finish(chroot, parts.manifest)


def _install_payload(parts: Parts, tree: Path) -> None:
    for binary in parts.manifest.binaries:
        put(parts.payload / binary.path, tree / "usr/bin" / binary.name)
    for name in (*parts.manifest.network_manifests, *parts.manifest.licences):
        put(parts.payload / name, tree / _SHARE / "payload" / name)


def _install_store(store: ImageStore, tree: Path, commands: Commands) -> None:
    images = tree / _SHARE / "images"
    make_parents(images)
    images.mkdir()
    linked_copy(store.root, images / "root", commands)
    linked_copy(store.snapshots, images / "snapshots", commands)


def _finish(chroot: Chroot, manifest: PayloadManifest) -> None:
    config = chroot.path("/etc/containerd/config.toml")
    put_text(config.read_text().replace("@PAUSE@", manifest.pause), config)
    chroot.path("/etc/sudoers.d/core").chmod(0o440)
    # Charts and manifests expect network plugins at upstream's path.
    put_link("../../usr/lib/cni", chroot.path("/opt/cni/bin"))
    put_link("../run/NetworkManager/resolv.conf", chroot.path("/etc/resolv.conf"))
    # Empty: every live start gets a new identity, but is no first boot, which would apply all presets again.
    put_text("", chroot.path("/etc/machine-id"), 0o444)
    put_link("/usr/lib/systemd/system/multi-user.target", chroot.path("/etc/systemd/system/default.target"))
    for directory, names in _MASKED.items():
        for name in names:
            put_link("/dev/null", chroot.path(f"{directory}/{name}"))
    chroot.run(["systemctl", "preset-all"], timeout=60)
    for name in _UP_TO_DATE:
        put_text("", chroot.path(name))
        shutil.copystat(chroot.path("usr"), chroot.path(name))


def unit_destinations(units: Path) -> dict[Path, Path]:
    """Every file to install below `units`, with its place in the root file system (relative)."""
    placed = {source: place / source.name for pattern, place in _UNIT_PLACES.items() for source in units.glob(pattern)}
    placed |= {source: _SYSTEM / source.parent.name / source.name for source in units.glob(_DROP_INS)}
    return dict(sorted(placed.items()))


def install_units(units: Path, root: Path) -> None:
    for source, place in unit_destinations(units).items():
        put(source, root / place)


def write_squashfs(tree: Path, output: Path, *, small: bool, commands: Commands) -> None:
    """commands: its environment must have SOURCE_DATE_EPOCH, which bounds all time stamps."""
    # -e must be last: everything after it is a pattern.
    commands.run(
        ["mksquashfs", tree, output, "-noappend", "-no-progress", "-quiet", "-xattrs", "-wildcards",
         "-comp", "zstd", *(_SMALL if small else _FAST), "-e", *_LEFT_OUT],
        timeout=_SQUASHFS_SECONDS,
    )  # fmt: skip
