"""Results of expensive builds, kept outside the checkout and keyed by a hash of all their inputs.

An entry appears complete or not at all: it is built next to its place and renamed into it. Two runs that need the same
entry take turns, and the second finds it finished. Entries never change; deleting the directory frees the space.

Each build is a step that says how long it usually takes: here in former runs, else as measured on two cores
(image-build/README.md).
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

from cli import progress
from cli.progress import Step, already, in_words


@dataclass(frozen=True)
class Work:
    """What the build of an entry is called. `typically`: seconds on two cores; None: its own steps have times."""

    title: str
    typically: float | None = None


KINDS = {
    "payload": Work("Payload"),
    "kubernetes": Work("Kubernetes, compiled from Debian's source package", 480),
    "kube-proxy-tools": Work("kube-proxy's tools from Debian", 10),
    "debian-root": Work("Debian root with all packages", 120),
    "initramfs": Work("Initramfs", 60),
    "image-store": Work("Import of the container images", 10),
}
"""The kinds of entries."""


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
        """The entry's directory, built now if it does not exist. When `make` raises, only the log stays.

        kind: one of `KINDS`.
        """
        entry, work = self.root / kind / key, KINDS[kind]
        if entry.exists() or not self._built_now(entry, work, make):
            already(work.title, "from the cache")
        return entry

    def _built_now(self, entry: Path, work: Work, make: Callable[[Workplace], None]) -> bool:
        """Build the entry, unless another run does so first."""
        entry.parent.mkdir(parents=True, exist_ok=True)
        with _locked(entry.with_name(f".{entry.name}.lock")):
            if entry.exists():
                return False
            with self.step(work.title, work.typically):
                self._publish(entry, make)
            return True

    @contextmanager
    def step(self, title: str, typically: float | None) -> Iterator[Step]:
        """A step of `cli.progress` that says how long it takes: here in former runs, else `typically`, in seconds.

        None: it consists of steps that say so.
        """
        from image_build.step_times import StepTimes  # not by `create image`, which only finds what is there

        times = StepTimes(self.root)
        with progress.step(title, _usually(times.usual(title), typically) if typically else "") as running:
            yield running
        if typically:
            times.add(title, running.seconds)

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
            with progress.step("Remove the unfinished build"):
                shutil.rmtree(building, ignore_errors=True)
            raise
        shutil.rmtree(building)


def _usually(here: float | None, typically: float) -> str:
    return f"{in_words(here)} here" if here is not None else in_words(typically)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.step("Wait for another run that builds the same"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield
