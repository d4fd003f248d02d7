"""A container opens its own disk and medium and sees no other: this computer's disks are safe from an installer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lab.container_groups import made_group
from vm_harness.container import loops
from vm_harness.container.control_groups import ControlGroup
from vm_harness.container.device_filter import DeviceFilter
from vm_harness.container.device_view import DeviceView
from vm_harness.container.uevents import Uevents

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="needs root for loop devices")]

DISK_BYTES = 64 << 20


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    with made_group() as group:
        yield group


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """Two disks of 64 MiB: the container's own, with a partition, and another one."""
    images = tmp_path / "own.img", tmp_path / "other.img"
    for image in images:
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
    subprocess.run(["sgdisk", "--new=1:0:+8M", images[0]], check=True, stdout=subprocess.DEVNULL)
    try:
        yield loops.attach_disk(images[0]), loops.attach_disk(images[1])
    finally:
        for image in images:
            loops.detach(image)


def opens(group: ControlGroup, device: Path | str, mode: str = "<>") -> bool:
    """Whether a process of the container's groups can open the device for reading and writing."""
    ended = subprocess.run(group.joining(["sh", "-c", f"exec 3{mode}{device}"]), stderr=subprocess.DEVNULL)
    return ended.returncode == 0


def view(group: ControlGroup, directory: Path, disk: Path) -> DeviceView:
    (directory / "view").mkdir()
    found = DeviceView(directory / "view", DeviceFilter(group.inside))
    found.show_disk(disk.name)
    return found


def follow(shown: DeviceView, events: Uevents, disk: Path) -> None:
    for event in events.pending():
        shown.follow(event, disk.name)


def test_a_container_opens_its_own_disk_and_partition_and_no_other_block_device(
    group: ControlGroup, disks: tuple[Path, Path], tmp_path: Path
) -> None:
    own, other = disks
    view(group, tmp_path, own)
    every = [Path("/dev") / path.name for path in Path("/sys/class/block").iterdir()]
    nodes = [device for device in every if device.is_block_device()]
    allowed = {device for device in nodes if opens(group, device)}
    assert allowed == {own, own.with_name(f"{own.name}p1")}
    assert other in nodes
    assert opens(group, "/dev/null")


def test_a_container_cannot_open_a_device_that_it_makes_a_node_for(
    group: ControlGroup, disks: tuple[Path, Path], tmp_path: Path
) -> None:
    own, other = disks
    view(group, tmp_path, own)
    number = other.stat().st_rdev
    node = tmp_path / "node"
    script = f"mknod {node} b {os.major(number)} {os.minor(number)}; exec 3<{node}"
    assert subprocess.run(group.joining(["sh", "-c", script]), stderr=subprocess.DEVNULL).returncode != 0


def test_the_view_of_a_disk_has_its_partitions_and_nothing_else(
    group: ControlGroup, disks: tuple[Path, Path], tmp_path: Path
) -> None:
    own, _ = disks
    view(group, tmp_path, own)
    names = {own.name, f"{own.name}p1"}
    assert {path.name for path in (tmp_path / "view/block").iterdir()} == {own.name}
    assert {path.name for path in (tmp_path / "view/class-block").iterdir()} == names
    assert {path.name for path in (tmp_path / "view/dev").iterdir()} == names
    numbers = {os.stat(f"/dev/{name}").st_rdev for name in names}  # noqa: PTH116
    seen = {path.name for path in (tmp_path / "view/dev-block").iterdir()}
    assert seen == {f"{os.major(number)}:{os.minor(number)}" for number in numbers}


def test_partitions_that_the_kernel_makes_and_removes_are_shown_and_hidden(
    group: ControlGroup, disks: tuple[Path, Path], tmp_path: Path
) -> None:
    own, _ = disks
    shown, events = view(group, tmp_path, own), Uevents()
    second = f"{own.name}p2"
    subprocess.run(["sgdisk", "--new=2:0:+8M", own], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["partx", "--update", own], check=True)
    follow(shown, events, own)
    assert {path.name for path in (tmp_path / "view/dev").iterdir()} == {own.name, f"{own.name}p1", second}
    assert opens(group, f"/dev/{second}")
    subprocess.run(["partx", "--delete", "--nr=2", own], check=True)
    follow(shown, events, own)
    events.close()
    assert not (tmp_path / "view/dev" / second).exists()
