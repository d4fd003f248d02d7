"""A container's disk and medium on real loop devices: what is booted, what a power cut loses, a medium that is out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lab.container_groups import made_group
from vm_harness.container import boot_choice, loops, media, power_cut
from vm_harness.container.boot_choice import Source
from vm_harness.container.mounts import Mounts

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for loop devices")]

CLUSTER = "0b9c3c0e-7a55-4f0e-9f2a-0d6a3f1f0001"
KARGS = f'set cluster0_id="{CLUSTER}"\nset extra_kargs="quiet"\n'
MENU = "    linux /live/vmlinuz cluster0.medium=LABEL=X console=ttyS0 $extra_kargs\n"
INSTALLED_MENU = "    linux /slots/a/vmlinuz cluster0.state=UUID=1\n"
MBR_SIGNATURE = b"\x55\xaa"


@pytest.fixture
def mounts(tmp_path: Path) -> Mounts:
    (tmp_path / "mounts").mkdir()
    return Mounts(tmp_path / "mounts")


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[Path]:
    tree, iso, image = tmp_path / "tree", tmp_path / "medium.iso", tmp_path / "medium.img"
    (tree / "boot/grub").mkdir(parents=True)
    (tree / "boot/grub/kargs.cfg").write_text(KARGS)
    (tree / "boot/grub/grub.cfg").write_text(MENU)
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", iso, tree], check=True)
    try:
        yield loops.attach_medium(media.make(iso, image))
    finally:
        loops.detach(image)
        loops.detach(image.with_suffix(".nothing"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with the four partitions of an installed one, and no boot code."""
    image = tmp_path / "disk.img"
    with image.open("wb") as file:
        file.truncate(128 << 20)
    subprocess.run(
        ["sgdisk", "--new=1:0:+1M", "--new=2:0:+1M", "--new=3:0:+32M", "--new=4:0:0", image],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    device = loops.attach_disk(image)
    for number in (3, 4):
        subprocess.run(["mkfs.ext4", "-q", f"{device}p{number}"], check=True)
    try:
        yield device
    finally:
        loops.detach(image)


def write_boot_sector(disk: Path, code: bytes) -> None:
    with disk.open("r+b") as device:
        device.write(code)


def write_boot_partition(disk: Path, mounts: Mounts, *names: str) -> None:
    boot = mounts.mount("ext4", f"{disk}p3", "boot")
    for name in names:
        (boot / name).parent.mkdir(exist_ok=True)
        (boot / name).write_text(INSTALLED_MENU)
    subprocess.run(["umount", boot], check=True)


def test_a_machine_with_an_empty_disk_boots_the_medium_with_the_arguments_of_its_menu(
    disk: Path, medium: Path, mounts: Mounts
) -> None:
    found = boot_choice.choose(disk, medium, mounts)
    assert (found.source, found.arguments) == (Source.MEDIUM, "cluster0.medium=LABEL=X console=ttyS0 quiet")


def test_a_disk_whose_boot_sector_asks_for_the_next_device_is_not_booted(
    disk: Path, medium: Path, mounts: Mounts
) -> None:
    write_boot_sector(disk, b"\xcd\x18\xf4")
    assert boot_choice.choose(disk, medium, mounts).source is Source.MEDIUM


def test_a_disk_with_boot_code_is_booted_before_the_medium(disk: Path, medium: Path, mounts: Mounts) -> None:
    write_boot_partition(disk, mounts, "grub/grub.cfg")
    write_boot_sector(disk, b"\xeb\x63\x90")
    found = boot_choice.choose(disk, medium, mounts)
    assert (found.source, found.arguments) == (Source.DISK, "cluster0.state=UUID=1")


def test_a_medium_goes_on_from_the_disk_that_has_the_marker_of_its_cluster(
    disk: Path, medium: Path, mounts: Mounts
) -> None:
    write_boot_partition(disk, mounts, "grub/grub.cfg", f"cluster0/installed-{CLUSTER}")
    assert boot_choice.choose(disk, medium, mounts).source is Source.DISK


def test_a_medium_that_is_out_cannot_be_read_even_where_it_is_mounted(
    disk: Path, medium: Path, mounts: Mounts, tmp_path: Path
) -> None:
    tree = mounts.mount("squashfs", medium, "medium", "ro")
    try:
        media.eject(medium, tmp_path / "medium.nothing")
        with medium.open("rb") as device, pytest.raises(OSError):
            os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            os.pread(device.fileno(), 2048, 0x8000)
    finally:
        subprocess.run(["umount", tree], check=True)
    assert boot_choice.choose(disk, medium, mounts).source is Source.NOTHING
    media.insert(medium, tmp_path / "medium.img", tmp_path / "medium.nothing")
    assert boot_choice.choose(disk, medium, mounts).source is Source.MEDIUM


def test_a_power_cut_loses_what_was_not_synced_and_keeps_what_was(disk: Path, mounts: Mounts) -> None:
    with made_group() as group:
        state = mounts.mount("ext4", f"{disk}p4", "state")
        writes = f"echo kept > {state}/synced; sync -f {state}; echo lost > {state}/written; echo ready; exec sleep 600"
        writer = subprocess.Popen(group.joining(["sh", "-c", writes]), stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        assert group.is_populated()
        group.freeze()
        for process in group.processes():
            power_cut.stop_writing(process, disk.name)
        group.kill()
        writer.wait()
        writer.stdout.close()
        assert not group.is_populated()
        subprocess.run(["umount", state], check=True)
    after = mounts.mount("ext4", f"{disk}p4", "state")
    try:
        assert (after / "synced").read_text() == "kept\n"
        assert not (after / "written").exists() or (after / "written").read_text() == ""
    finally:
        subprocess.run(["umount", after], check=True)
