"""Mounts of a container's runner, in its own mount namespace: they end with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.command import run

SECONDS = 60


class Mounts:
    """`root`: a directory in which the mount points are made."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._mounted: list[Path] = []

    def mount(self, kind: str, what: str | Path, name: str, options: str = "defaults") -> Path:
        """Mount `what` at `root/name`, and return that. Raises `Problem` (`command-failed`)."""
        point = self.root / name
        point.mkdir(exist_ok=True)
        run(["mount", "-t", kind, "-o", options, what, point], timeout=SECONDS)
        self._mounted.append(point)
        return point

    def unmount_all(self) -> None:
        """In the reverse order. What is busy is detached."""
        while self._mounted:
            run(["umount", "--lazy", self._mounted.pop()], timeout=SECONDS, check=False)

    @contextmanager
    def for_a_look(self, device: Path, kind: str) -> Iterator[Path | None]:
        """Mounted read-only while the block lasts; None when it cannot be mounted."""
        point = self.root / f"look-{kind}"
        point.mkdir(exist_ok=True)
        options = "ro,noload" if kind == "ext4" else "ro"
        if run(["mount", "-t", kind, "-o", options, device, point], timeout=SECONDS, check=False).exit_code != 0:
            yield None
            return
        try:
            yield point
        finally:
            run(["umount", point], timeout=SECONDS)
