"""Hosts that boot without a medium: what their initramfs fetches, from where, and over which network.

The initramfs has the checksum of every file that it fetches, so it need not trust the server or the connection: plain
HTTP is as safe as HTTPS.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agent.model.intent import HostIntent
from agent.model.problems import Problem
from ignition import compose
from image_build.cluster_iso.embed import IGNITION_CONFIG
from image_build.cluster_iso.initramfs_network import network_files
from image_build.cluster_iso.live_config import check
from image_build.iso_format import cpio
from image_build.iso_format.reader import BaseIso
from image_build.iso_format.release import INITRAMFS, KERNEL, NETWORK, RELEASE_PATH, ROOT_IMAGE, IsoRelease

SERVED = {
    KERNEL: "agent.x86_64-vmlinuz",
    INITRAMFS: "agent.x86_64-initrd.img",
    ROOT_IMAGE: "agent.x86_64-rootfs.img",
}
"""Path on the medium → file name on the server. The files have no secrets and are the same for every cluster."""

_CONFIG = "usr/lib/cluster0/medium"  # where 91cluster0-network looks
_ALIGNMENT = 4  # of archives that follow each other, for the kernel


def second_initramfs(base: BaseIso, config: bytes, hosts: Iterable[HostIntent], *, base_url: str) -> bytes:
    """The archives loaded after the initramfs: the base ISO's network part, and the configuration.

    `config`: the hosts' Ignition config, with secrets. Problem: `base-iso-outdated`.
    """
    own = {
        IGNITION_CONFIG: config,
        f"{_CONFIG}/ignition/user.ign": medium_config(base.release, base_url),
        **{f"{_CONFIG}/network/{name}": text.encode() for name, text in network_files(hosts).items()},
    }
    return b"".join(_aligned(part) for part in (_network_part(base), cpio.gzipped(own)))


def medium_config(release: IsoRelease, base_url: str) -> bytes:
    """The Ignition config that fetches the files of the medium and verifies their checksums."""
    fetched = [
        compose.fetched_file(f"/{path}", f"{base_url}/{name}", sha256=release.files[path].sha256)
        for path, name in SERVED.items()
    ]
    document = compose.encode(
        compose.config(files=[*fetched, compose.file(f"/{RELEASE_PATH}", msgspec.json.encode(release))])
    )
    check(document)
    return document


def _network_part(base: BaseIso) -> bytes:
    if NETWORK not in base.files:
        raise Problem(
            code="base-iso-outdated",
            title=f"{base.path} is older than booting over the network: it has no {NETWORK}.",
            remedy="Build a new one with `sudo cluster0 image build`.",
        )
    extent = base.files[NETWORK]
    with base.path.open("rb") as image:
        image.seek(extent.offset)
        return image.read(extent.size)


def _aligned(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
