"""The compressed read-only root image."""

from __future__ import annotations

from pathlib import Path

from cli.command import Commands

_SECONDS = 3600
# The kernel and its initramfs lie beside the image; the rest exists only on a running system.
_LEFT_OUT = ("boot/vmlinuz*", "boot/initrd*", "proc/*", "sys/*", "dev/*", "run/*", "tmp/*", "mnt/*")
_FAST = ("-Xcompression-level", "3")
_SMALL = ("-Xcompression-level", "19", "-b", "256K")


def write_squashfs(tree: Path, output: Path, *, release: bool, commands: Commands) -> None:
    """commands: its environment must have SOURCE_DATE_EPOCH, which bounds all time stamps."""
    # -e must be last: everything after it is a pattern.
    commands.run(
        ["mksquashfs", tree, output, "-noappend", "-no-progress", "-quiet", "-xattrs", "-wildcards",
         "-comp", "zstd", *(_SMALL if release else _FAST), "-e", *_LEFT_OUT],
        timeout=_SECONDS,
    )  # fmt: skip
