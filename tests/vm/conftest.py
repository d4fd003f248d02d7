"""Labs for tests: brought up on request, taken down whatever happens, with evidence in ./evidence when a test fails."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.paths import REPOSITORY
from vm_harness.lab import evidence, lab, retry
from vm_harness.lab.cluster import image
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest
from vm_harness.machine.probe import live_system

T = TypeVar("T")

EVIDENCE = REPOSITORY / "evidence"

# A boot sector that waits (BIOS, int 15h, AH=86h, cx:dx microseconds), prints what follows it on the serial port, and
# halts: a guest for tests of the lab itself.
SMALL_GUEST = "31c08ed8 b9{high} ba{low} b486cd15 be1f7c ac84c07406baf803eeebf5f4ebfd"


class Labs:
    """The labs of one test module, each in a directory of its own."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.up: list[Lab] = []
        self.used: dict[str, Directories] = {}

    def directories(self, name: str = "lab") -> Directories:
        path = self._root / name
        path.mkdir(exist_ok=True)
        return self.used.setdefault(name, Directories.of(path))

    def bring_up(self, name: str = "lab", **wishes: Any) -> Lab:
        """`wishes`: fields of `LabRequest`."""
        return self.run(lambda started: started, name, **wishes)

    def take_down(self, which: Lab) -> None:
        self.up.remove(which)
        which.close()
        lab.down(which.directories)

    def run(self, work: Callable[[Lab], T], name: str = "lab", **wishes: Any) -> T:
        """Bring a lab up and do `work` with it; once more under emulation when a machine of it fails."""
        request = LabRequest(directories=self.directories(name), **wishes)
        before = len(self.up)

        def remember_and_work(started: Lab) -> T:
            self.up.append(started)
            return work(started)

        def give_up_first() -> None:
            collect(self, "first-try")
            for failed in self.up[before:]:
                self.take_down(failed)

        return retry.run(request, remember_and_work, before_retry=give_up_first)


def collect(labs: Labs, name: str) -> None:
    """Of a lab that is not up any more, or never was, there are logs."""
    up = {each.directories.inputs: each for each in labs.up}
    for directories in labs.used.values():
        if directories.logs.exists():
            into = EVIDENCE / name / directories.inputs.name
            evidence.collect(directories, up.get(directories.inputs), into)
            evidence.show(into)


@pytest.fixture(autouse=True)
def _no_child_left() -> None:
    """In place of the check all other tests get: a lab's libvirtd outlives its test on purpose."""


@pytest.fixture(scope="module")
def labs() -> Iterator[Labs]:
    with tempfile.TemporaryDirectory(prefix="cluster0-vm-") as root:
        labs = Labs(Path(root))
        yield labs
        for each in list(labs.up):
            labs.take_down(each)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    found = getattr(item, "funcargs", {}).get("labs")
    if report.failed and isinstance(found, Labs):
        collect(found, item.name)
    return report


@pytest.fixture(scope="session")
def base_iso() -> Path:
    """The base ISO named by CLUSTER0_BASE_ISO, else the one of this checkout, built unless it is in the cache."""
    if named := os.environ.get("CLUSTER0_BASE_ISO"):
        return Path(named)
    built = subprocess.run([image.cluster0(), "image", "build"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(built.stdout.strip())


def boot_sector(words: str, after_seconds: float = 0) -> bytes:
    """Of a guest that prints `words` and does nothing more; without words it is silent."""
    high, low = (part.to_bytes(2, "little").hex() for part in divmod(int(after_seconds * 1_000_000), 1 << 16))
    code = bytes.fromhex(SMALL_GUEST.format(high=high, low=low))
    return (code + words.encode() + b"\r\n\0").ljust(510, b"\0") + b"\x55\xaa"


@pytest.fixture
def tiny_guest(tmp_path: Path) -> Path:
    """A medium that boots in a second, to be used as a stick."""
    path = tmp_path / "tiny.img"
    path.write_bytes(boot_sector("tiny guest is up").ljust(1 << 20, b"\0"))
    return path


@pytest.fixture
def small_iso(tmp_path: Path) -> Callable[..., Path]:
    """`small_iso(words, after_seconds)`: a stick that the lab takes for a live system, with that boot sector."""

    def make(words: str, after_seconds: float = 0) -> Path:
        tree, iso = tmp_path / "tree", tmp_path / f"small-{len(words)}.iso"
        for inside in live_system.FILES.values():
            (tree / inside.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (tree / inside.lstrip("/")).write_text("linux /live/vmlinuz console=ttyS0 loglevel=6\n")
        (tmp_path / "sector").write_bytes(boot_sector(words, after_seconds))
        subprocess.run(
            ["xorriso", "-as", "mkisofs", "-quiet", "-r", "-G", tmp_path / "sector", "-o", iso, tree], check=True
        )
        return iso

    return make
