"""Files of the machine, every path relative to its root; writes are atomic and durable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class Files:
    """`at("/etc/hostname")` is that path below `root`; pass absolute paths as the machine itself would."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def at(self, path: str | Path) -> Path:
        return self.root / str(path).lstrip("/")

    def read(self, path: str | Path, default: str | None = None) -> str:
        """The text of `path`, or `default` when it is not there (FileNotFoundError without a default)."""
        try:
            return self.at(path).read_text()
        except FileNotFoundError:
            if default is None:
                raise
            return default

    def write(self, path: str | Path, content: str | bytes, mode: int = 0o644) -> Path:
        """Replace `path` in one step: a reader sees the old file or the new, also after a power cut."""
        target = self.at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return target
