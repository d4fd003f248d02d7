"""The initramfs' generator: which mounts a kernel command line asks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

pytestmark = pytest.mark.integration

GENERATOR = REPOSITORY / "image-build/iso/dracut/90cluster0/cluster0-generator"
LABEL = "cluster0.medium=LABEL=CLUSTER0-01234567 cluster0.image=live/rootfs.img"


def units(command_line: str, scratch: Path) -> dict[str, str]:
    """Content by name, with another /proc/cmdline, in a mount namespace of its own."""
    (scratch / "cmdline").write_text(f"{command_line}\n")
    written = scratch / "units"
    written.mkdir()
    script = 'mount --bind "$1" /proc/cmdline && exec bash "$2" "$3"'
    argv = ["unshare", "--mount", "sh", "-c", script, "sh", str(scratch / "cmdline"), str(GENERATOR), str(written)]
    subprocess.run(argv, check=True)
    return {path.name: path.read_text() for path in written.iterdir() if path.is_file()}


def test_a_live_start_mounts_the_medium(tmp_path: Path) -> None:
    made = units(LABEL, tmp_path)
    assert "What=/dev/disk/by-label/CLUSTER0-01234567\n" in made["run-cluster0-medium.mount"]
    assert "Requires=run-cluster0-medium.mount\n" in made["run-cluster0-image.mount"]
    assert "Type=tmpfs\n" in made["run-cluster0-overlay.mount"]
    assert not any("network" in text or "cluster0-medium.service" in text for text in made.values())


def test_an_installed_start_has_a_persistent_overlay(tmp_path: Path) -> None:
    made = units("cluster0.medium=UUID=aa cluster0.image=slots/a/rootfs.img cluster0.state=UUID=bb", tmp_path)
    assert "What=/dev/disk/by-uuid/bb\n" in made["run-cluster0-state.mount"]
    assert "upperdir=/run/cluster0/state/root/upper" in made["sysroot.mount"]


def test_a_start_without_medium_waits_until_it_is_fetched(tmp_path: Path) -> None:
    """A minimal ISO's menu names its label first: the last word counts."""
    made = units(f"{LABEL} cluster0.medium=network", tmp_path)
    assert "Type=tmpfs\n" in made["run-cluster0-medium.mount"]
    assert "Requires=cluster0-medium.service\nAfter=cluster0-medium.service\n" in made["run-cluster0-image.mount"]
    assert "What=/run/cluster0/medium/live/rootfs.img\n" in made["run-cluster0-image.mount"]


def test_another_system_is_left_alone(tmp_path: Path) -> None:
    assert units("root=UUID=aa", tmp_path) == {}
