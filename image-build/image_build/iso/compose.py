"""The root tree of the image: Debian's part, and over it configuration, units, programs, the payload and its images."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agent.api.payload import Payload
from image_build.command import Commands
from image_build.iso.chroot import Chroot
from image_build.iso.image_store import ImageStore
from image_build.iso.initramfs import install_dracut_files
from image_build.iso.programs import install_programs
from image_build.iso.recipe import INGREDIENTS, UNITS
from image_build.iso.release import Release
from image_build.iso.trees import lay_over, linked_copy, make_parents, put, put_link, put_text
from image_build.iso.units import install_units

OVERLAY = INGREDIENTS / "overlay"
_SHARE = "usr/share/cluster0"

# Would ask questions at a first boot, or compute at every boot what a read-only image has computed for good.
_MASKED = ("systemd-firstboot.service", "ldconfig.service", "systemd-journal-catalog-update.service", "apt-daily.timer")
# Units with ConditionNeedsUpdate= compare these with the time stamp of /usr.
_UP_TO_DATE = ("etc/.updated", "var/.updated")


@dataclass(frozen=True)
class Parts:
    """What a root tree is composed of. `payload`: the directory that `manifest` describes."""

    debian: Path
    payload: Path
    manifest: Payload
    store: ImageStore
    release: Release


def compose_root(parts: Parts, tree: Path, commands: Commands) -> None:
    """Makes the new directory `tree` the root file system of the image."""
    linked_copy(parts.debian / "root", tree, commands)
    chroot = Chroot(tree, commands)
    lay_over(OVERLAY, tree)
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


def _finish(chroot: Chroot, manifest: Payload) -> None:
    config = chroot.path("/etc/containerd/config.toml")
    put_text(config.read_text().replace("@PAUSE@", manifest.pause), config)
    chroot.path("/etc/sudoers.d/core").chmod(0o440)
    # Charts and manifests look for network plugins in upstream's place.
    put_link("../../usr/lib/cni", chroot.path("/opt/cni/bin"))
    put_link("../run/NetworkManager/resolv.conf", chroot.path("/etc/resolv.conf"))
    # Not empty: only this word makes the live system's start a first boot, with presets and host keys.
    put_text("uninitialized\n", chroot.path("/etc/machine-id"), 0o444)
    put_link("/usr/lib/systemd/system/multi-user.target", chroot.path("/etc/systemd/system/default.target"))
    for unit in _MASKED:
        put_link("/dev/null", chroot.path(f"/etc/systemd/system/{unit}"))
    chroot.run(["systemctl", "preset-all"], timeout=60)
    for name in _UP_TO_DATE:
        put_text("", chroot.path(name))
        shutil.copystat(chroot.path("usr"), chroot.path(name))
