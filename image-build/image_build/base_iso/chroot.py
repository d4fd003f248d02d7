"""Runs programs inside a root tree on the build host, with /proc, /sys and /dev mounted.

The mounts are in a mount namespace that ends with the command, so none can remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.command import Argument, Commands

# fmt: off
_SCRIPT = """set -e
for name in proc sys dev; do mount --rbind "/$name" "$1/$name"; done
root=$1; shift
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "$@"
"""
# fmt: on


@dataclass(frozen=True)
class Chroot:
    """The tree at `root`; `commands` must have SOURCE_DATE_EPOCH in its environment."""

    root: Path
    commands: Commands

    def run(self, argv: Sequence[Argument], *, timeout: float) -> None:
        """Problem as `Commands.run`."""
        self.commands.run(self._inside(argv), timeout=timeout)

    def output(self, argv: Sequence[Argument], *, timeout: float) -> str:
        return self.commands.output(self._inside(argv), timeout=timeout)

    def _inside(self, argv: Sequence[Argument]) -> list[Argument]:
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", _SCRIPT, "chroot", self.root, *argv]

    def path(self, inside: str) -> Path:
        """The path of `/inside` on the build host."""
        return self.root / inside.lstrip("/")
