"""`cluster0 create …` as a user runs it, and readers of its results."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path


def create(what: str, site: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "cli", "create", what, "--dir", str(site), *options]


def create_image(site: Path, *options: str) -> list[str]:
    return create("image", site, *options)


def run(site: Path, base: Path, *options: str, what: str = "image") -> subprocess.CompletedProcess[str]:
    """`cluster0 create WHAT` to its end."""
    return end(create(what, site, "--base-iso", str(base), *options))


def end(argv: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, sys.path))
    env = {**os.environ, "PYTHONPATH": paths, **environment}
    return subprocess.run(argv, capture_output=True, text=True, env=env, check=False, timeout=100)


def ignition_in(iso: Path, scratch: Path) -> bytes:
    """The config as the initramfs will see it."""
    area = extracted(iso, "images/ignition.img", scratch)
    unpacked = unpack(zlib.decompressobj(wbits=31).decompress(area), scratch / "unpacked")
    return (unpacked / "usr/lib/ignition/user.ign").read_bytes()


def extracted(iso: Path, path: str, scratch: Path) -> bytes:
    """The file at `path` in `iso`."""
    target = scratch / Path(path).name
    target.unlink(missing_ok=True)
    argv = ["xorriso", "-osirrox", "on", "-indev", str(iso), "-extract", f"/{path}", str(target)]
    subprocess.run(argv, check=True, capture_output=True)
    return target.read_bytes()


def unpack(archive: bytes, into: Path) -> Path:
    """A newc archive, as the kernel unpacks it."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    subprocess.run(["cpio", "-id", "--quiet"], input=archive, cwd=into, check=True)
    return into


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
