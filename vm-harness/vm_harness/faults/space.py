"""File systems of a host that are full, or can only be read."""

from __future__ import annotations

from functools import partial

from vm_harness.faults.fault import Fault, Target

STATE = "/run/cluster0/state"
LIVE = "/run/cluster0/overlay"
BALLAST = "lab-ballast"
FILL_SECONDS = 120
# fallocate takes no time; its metadata need a rest of the space, which dd then writes until there is none.
FILL = (
    "cd {at} && free=$(stat --file-system --format='%f * %S' .) && "
    "sudo fallocate --length $((free - (64 << 20))) {ballast} && "
    "{{ sudo dd if=/dev/zero of={ballast} bs=1M oflag=append conv=notrunc status=none 2>/dev/null; sync -f .; }}"
)


def fill(at: str, target: Target) -> None:
    """Raises `Problem` (`guest-command`) when the file system is not there."""
    target.node.succeed(
        f"mountpoint --quiet {at} && {FILL.format(at=at, ballast=BALLAST)}; test -e {at}/{BALLAST}",
        timeout=FILL_SECONDS,
    )


def empty(at: str, target: Target) -> None:
    target.node.succeed(f"sudo rm -f {at}/{BALLAST}")


def abort(target: Target) -> None:
    """`abort` of ext4(5): as after a failed write of the journal."""
    target.node.succeed(f"sudo mount -o remount,abort {STATE}")


def _full(name: str, at: str, summary: str) -> Fault:
    return Fault(name=name, summary=summary, begin=partial(fill, at), end=partial(empty, at))


FAULTS = (
    _full("state-disk-full", STATE, "The state file system on the disk has no space left."),
    _full("ram-disk-full", LIVE, "The live system's file system in memory has no space left."),
    Fault(
        name="state-read-only",
        summary="The state file system has an error, and can only be read until the host starts again.",
        begin=abort,
    ),
)
