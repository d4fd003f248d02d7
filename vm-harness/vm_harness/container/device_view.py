"""What a container sees of block devices.

Directories stand for /sys/block, /sys/class/block and /sys/dev/block; there are device nodes for exactly the same
devices, and the device filter allows the same ones.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from vm_harness.container.device_filter import DeviceFilter
from vm_harness.container.uevents import BlockEvent

SYSFS = Path("/sys")
VIRTUAL = SYSFS / "devices/virtual/block"
DIRECTORIES = ("block", "class-block", "dev-block", "dev")


class DeviceView:
    """`root`: an empty directory; it gets `DIRECTORIES`."""

    def __init__(self, root: Path, device_filter: DeviceFilter) -> None:
        self._root = root
        self._filter = device_filter
        self._numbers: dict[str, tuple[int, int]] = {}
        for name in DIRECTORIES:
            (root / name).mkdir()

    def show_disk(self, name: str) -> None:
        """Show the loop device `name` with the partitions that it has now."""
        self.show(name, name)
        (self._root / "block" / name).symlink_to(f"../devices/virtual/block/{name}")
        for partition in sorted(VIRTUAL.joinpath(name).glob(f"{name}p*")):
            self.show(name, partition.name)

    def show(self, disk: str, name: str) -> None:
        """Show `disk` itself, or its partition `name`. A device that is gone already is left out."""
        path = f"devices/virtual/block/{disk}" + (f"/{name}" if name != disk else "")
        try:
            major, minor = map(int, (SYSFS / path / "dev").read_text().split(":"))
        except FileNotFoundError:
            return
        self.hide(name)
        self._numbers[name] = major, minor
        self._filter.allow(major, minor)
        (self._root / "class-block" / name).symlink_to(f"../../{path}")
        (self._root / "dev-block" / f"{major}:{minor}").symlink_to(f"../../{path}")
        self.allow_node(name, major, minor)

    def allow_node(self, name: str, major: int, minor: int) -> None:
        """A node in `dev`, and permission to open it."""
        self._filter.allow(major, minor)
        node = self._root / "dev" / name
        node.unlink(missing_ok=True)
        os.mknod(node, stat.S_IFBLK | 0o660, os.makedev(major, minor))

    def follow(self, event: BlockEvent, disk: str) -> None:
        """Show a partition of `disk` that the kernel has made; hide one that it has removed."""
        if event.name.startswith(f"{disk}p"):
            self.hide(event.name)
            if event.action != "remove":
                self.show(disk, event.name)

    def hide(self, name: str) -> None:
        """Undo `show`; nothing where the device is not shown."""
        if name not in self._numbers:
            return
        major, minor = self._numbers.pop(name)
        with contextlib.suppress(FileNotFoundError):
            self._filter.forbid(major, minor)
        for link in (f"class-block/{name}", f"dev-block/{major}:{minor}", f"dev/{name}"):
            (self._root / link).unlink(missing_ok=True)
