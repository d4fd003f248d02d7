"""A base ISO in miniature, made by the real xorriso: everything that `create image` looks at, nothing that boots."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import msgspec

from agent.model.payload import CniPlugins, KubeadmApi, PayloadManifest, PayloadSource
from image_build.iso_format.release import RELEASE_PATH, Area, Areas, FileDigest, IsoRelease

_PAYLOAD = PayloadManifest(
    kubernetes_version="v1.20.2",
    source=PayloadSource.DEBIAN,
    kubeadm_api=KubeadmApi.V1BETA2,
    image_repository="cluster0.example",
    binaries=(),
    images=(),
    network_plugin="host-gateway",
    pause="cluster0.example/pause:3.2",
    etcd="cluster0.example/etcd:3.4.13-0",
    cni_plugins=CniPlugins.DEBIAN,
    packages=(),
)


def make_base_iso(iso: Path, *, embed_area: int = 1 << 20, live_size: int = 1 << 16) -> IsoRelease:
    """Write it at `iso`; sizes in bytes."""
    tree = iso.with_suffix(".tree")
    areas = Areas(ignition=Area(path="images/ignition.img", size=embed_area))
    names = ("vmlinuz", "initrd.img", "network.img", "rootfs.img")
    live = {f"live/{name}": name.encode().ljust(live_size, b".") for name in names}
    release = IsoRelease(
        build_id="0123456789abcdef",
        version="0.1.0",
        suite="trixie",
        packages={},
        payload=_PAYLOAD,
        label="CLUSTER0-01234567",
        areas=areas,
        files={
            name: FileDigest(size=len(data), sha256=hashlib.sha256(data).hexdigest()) for name, data in live.items()
        },
    )
    contents = {
        **live,
        areas.ignition.path: bytes(areas.ignition.size),
        areas.kargs.path: b"\n" * areas.kargs.size,
        RELEASE_PATH: msgspec.json.encode(release),
    }
    for name, data in contents.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    argv = [
        "xorriso",
        "-as",
        "mkisofs",
        "-quiet",
        "-iso-level",
        "3",
        "-R",
        "-V",
        release.label,
        "-o",
        str(iso),
        str(tree),
    ]
    subprocess.run(argv, check=True, capture_output=True)
    return release
