"""Results of expensive builds, kept outside the checkout and keyed by a hash of all their inputs.

An entry appears complete or not at all: it is built next to its place and renamed into it. Two runs that need the same
entry take turns, and the second finds it finished. Entries never change; deleting the directory frees the space.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.progress import step


@dataclass(frozen=True)
class Workplace:
    """Where one entry is built: `result` becomes the entry, `scratch` is removed, `log` always stays."""

    result: Path
    scratch: Path
    log: Path


def cache_key(parts: Iterable[str | Path]) -> str:
    """A key of 16 hexadecimal digits from words and from the content of files, in the order given."""
    whole = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, Path) else part.encode()
        whole.update(hashlib.sha256(content).digest())
    return whole.hexdigest()[:16]


@dataclass(frozen=True)
class Cache:
    """Entries are directories `root/KIND/KEY`."""

    root: Path

    @classmethod
    def of_user(cls) -> Cache:
        """`$CLUSTER0_CACHE`, or `~/.cache/cluster0`."""
        return cls(Path(os.environ.get("CLUSTER0_CACHE") or Path.home() / ".cache/cluster0"))

    def obtain(self, kind: str, key: str, make: Callable[[Workplace], None]) -> Path:
        """The entry's directory, built now if it does not exist. When `make` raises, only the log stays."""
        entry = self.root / kind / key
        if entry.exists():
            return entry
        entry.parent.mkdir(parents=True, exist_ok=True)
        with _locked(entry.with_name(f".{key}.lock")):
            if not entry.exists():
                self._publish(entry, make)
        return entry

    def _publish(self, entry: Path, make: Callable[[Workplace], None]) -> None:
        building = entry.with_name(f".{entry.name}.building")
        # Left by a run that was killed: no other run uses it, because we hold the lock.
        shutil.rmtree(building, ignore_errors=True)
        place = Workplace(building / "result", building / "scratch", entry.with_name(f"{entry.name}.log"))
        try:
            place.result.mkdir(parents=True)
            place.scratch.mkdir()
            place.log.write_bytes(b"")
            make(place)
            place.result.rename(entry)
        except BaseException:
            # A build root has a hundred thousand files: without this line the command would seem to hang.
            with step("Remove the unfinished build"):
                shutil.rmtree(building, ignore_errors=True)
            raise
        shutil.rmtree(building)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with step("Wait for another run that builds the same"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield
