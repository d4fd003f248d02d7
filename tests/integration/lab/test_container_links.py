"""The links below /dev/disk that the product needs, and that udev makes on a machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from vm_harness.container import loops
from vm_harness.container.quirks import INSIDE

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for loop devices")]

UUID = "0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d"
CONTAINER = """
set -eu
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev
mkdir -p /run/lab/view/dev
mknod -m 0600 /dev/null c 1 3
mknod /run/lab/view/dev/fake b "$2" "$3"
mknod /run/lab/view/dev/fakep1 b "$2" "$3"
mknod /run/lab/view/dev/fakep2 b 7 250
"$1" nodes
readlink -f /dev/disk/by-uuid/*
ls /dev/disk/by-uuid
"""


def test_a_container_finds_a_file_system_by_its_uuid_as_udev_names_it(tmp_path: Path) -> None:
    """As a boot does that continues an interrupted install. An empty partition has no link."""
    image = tmp_path / "disk.img"
    image.touch()
    os.truncate(image, 8 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-U", UUID, image], check=True)
    device = loops.attach_disk(image)
    try:
        number = device.stat().st_rdev
        shell: list[str | Path] = [
            "sh",
            "-c",
            CONTAINER,
            "sh",
            INSIDE / "udevadm",
            str(os.major(number)),
            str(os.minor(number)),
        ]
        ended = subprocess.run(["unshare", "--mount", *shell], check=True, stdout=subprocess.PIPE, text=True)
    finally:
        loops.detach(image)
    assert ended.stdout.splitlines() == ["/dev/fakep1", UUID]
