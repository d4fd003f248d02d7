"""Files of the machine, every path relative to its root; writes are atomic and durable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec

from agent.model.problems import Problem

Document = TypeVar("Document")


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

    def attribute(self, path: str | Path, default: str = "") -> str:
        """A value from sysfs or procfs without blanks around it; `default` when it is absent or the driver has none."""
        try:
            return self.at(path).read_text(errors="replace").strip()
        except OSError:
            return default

    def names(self, directory: str | Path) -> tuple[str, ...]:
        """What is in `directory`, sorted; nothing when it is not there."""
        try:
            return tuple(sorted(entry.name for entry in self.at(directory).iterdir()))
        except (FileNotFoundError, NotADirectoryError):
            return ()

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

    def load(self, path: str | Path, kind: type[Document]) -> Document | None:
        """The JSON document `path`, None when there is none. Raises Problem when it is not a `kind`."""
        try:
            return msgspec.json.decode(self.at(path).read_bytes(), type=kind)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise Problem(code="bad-document", title=f"{path} is not what it should be: {error}") from error

    def save(self, path: str | Path, document: object, mode: int = 0o644) -> Path:
        """Replace `path` by `document` as JSON."""
        return self.write(path, msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n", mode)
