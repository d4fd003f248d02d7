"""What will be done to the disk, as commands with their reasons: `plan` is pure, `carry_out` runs them.

Data of anything but this host's own install needs consent. A disk that is in use is refused even with consent.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from agent.install.layout import BOOT, PARTITIONS, SMALLEST_DISK, Layout, Part
from agent.install.probe import DiskContent, Found, User
from agent.machine import Machine
from agent.model.problems import Problem

log = logging.getLogger(__name__)

# orphan_file and metadata_csum_seed are newer than what every GRUB that may read the boot partition knows. Inode tables
# are initialised by the kernel later, and no discard: it takes minutes on some drives and gives a new disk nothing.
_MKFS_EXT4 = "mkfs.ext4 -q -F -m 1 -O ^orphan_file,^metadata_csum_seed"
_FAST = "-E lazy_itable_init=1,lazy_journal_init=1,nodiscard"


@dataclass(frozen=True)
class Action:
    """One command and why it is run."""

    why: str
    argv: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.why}: {' '.join(self.argv)}"


def plan(content: DiskContent, layout: Layout, *, consent: bool) -> tuple[Action, ...]:
    """Everything from the disk as it is to four partitions with empty file systems.

    Raises Problem: `disk-too-small`, `disk-in-use`, `disk-has-data`.
    """
    _check(content, layout, consent=consent)
    return (
        *(_release(user) for user in reversed(content.users)),
        *(_wipe(item, content) for item in sorted(reversed(content.found), key=_has_no_marker)),
        _partition(layout),
        Action("make the kernel see them", ("partx", "--update", layout.disk)),
        Action("wait for their device nodes", ("udevadm", "settle", "--timeout=30")),
        *_make_file_systems(layout),
    )


async def carry_out(machine: Machine, actions: Iterable[Action]) -> None:
    """Run the commands in order. Raises `ProcessFailed` of the first that fails; running all of them again is safe."""
    for action in actions:
        log.info("%s", action)
        await machine.processes.run(action.argv, timeout=300)


def _check(content: DiskContent, layout: Layout, *, consent: bool) -> None:
    if content.size < SMALLEST_DISK:
        raise Problem(
            code="disk-too-small",
            title=f"{content.path} has {_size(content.size)}, an installed host needs {_size(SMALLEST_DISK)}.",
            remedy="Choose another disk with rootDeviceHints, or use a larger one.",
        )
    mounted = [f"{user.path} at {', '.join(user.mounted)}" for user in content.users if user.mounted]
    if mounted:
        raise Problem(
            code="disk-in-use",
            title=f"{content.path} is in use: {'; '.join(mounted)}.",
            remedy="Unmount it, or choose another disk with rootDeviceHints.",
        )
    if content.data and not consent and not _is_ours(content, layout):
        raise Problem(
            code="disk-has-data",
            title=f"{content.path} holds data that is not of this host's own install.",
            detail="\n".join(described(item) for item in content.data),
            remedy="Save what is needed and wipe the disk, choose another one, or give this host consentToWipe: true.",
        )


def _is_ours(content: DiskContent, layout: Layout) -> bool:
    """Every partition is one that an install of this host and cluster made."""
    partitions = [item for item in content.found if item.is_partition]
    return bool(partitions) and all(item.guid in layout.guids for item in partitions)


def described(item: Found) -> str:
    """Path, size, type and label of a partition, or of data on the disk outside partitions, in one line."""
    label = f" {item.label!r}" if item.label else ""
    return f"{item.path}  {_size(item.size)}  {item.content or 'unknown content'}{label}"


def _size(count: int) -> str:
    """Bytes in the unit of disk makers: 21.5 GB."""
    return f"{count / 1000**3:.1f} GB"


def _release(user: User) -> Action:
    if user.type.startswith(("raid", "md")):
        return Action("stop the RAID array on the disk", ("mdadm", "--stop", user.path))
    return Action(f"release the disk from {user.type}", ("dmsetup", "remove", "--retry", user.path))


def _wipe(item: Found, content: DiskContent) -> Action:
    what = described(item) if item in content.data else f"the signatures of {item.path}"
    return Action(f"wipe {what}", ("wipefs", "--all", "--force", item.path))


def _has_no_marker(item: Found) -> bool:
    """False sorts first: from the first command on, this is no installed disk any more, also after a power cut."""
    return item.label != BOOT.name


def _partition(layout: Layout) -> Action:
    arguments: list[str] = ["--clear", f"--disk-guid={layout.disk_guid}"]
    for partition in PARTITIONS:
        end = f"+{partition.size}M" if partition.size else "0"
        arguments += [
            f"--new={partition.number}:0:{end}",
            f"--typecode={partition.number}:{partition.type_code}",
            f"--change-name={partition.number}:{partition.name}",
            f"--partition-guid={partition.number}:{layout.guid(partition.part)}",
        ]
    return Action("make the partitions", ("sgdisk", *arguments, layout.disk))


def _make_file_systems(layout: Layout) -> tuple[Action, ...]:
    esp = ("mkfs.vfat", "-F", "32", "-n", "CLUSTER0ESP", layout.device(Part.ESP))
    return (
        Action("EFI system partition, empty until the disk may boot", esp),
        *(_make_ext4(layout, part) for part in (Part.BOOT, Part.STATE)),
    )


def _make_ext4(layout: Layout, part: Part) -> Action:
    command = f"{_MKFS_EXT4} {_FAST} -L cluster0-{part} -U {layout.guid(part)} {layout.device(part)}"
    return Action(f"{part} file system", tuple(command.split()))
