"""Labs for tests. They are always taken down; when a test fails, ./evidence has consoles and journals."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.vm.install_ways import chosen, names
from tests.vm.labs import Labs
from vm_harness.lab.cluster import image
from vm_harness.machine.probe import live_system

# A guest for tests of the lab itself: a boot sector that waits (BIOS, int 15h, AH=86h, cx:dx microseconds), prints the
# text after it on the serial port, and halts.
SMALL_GUEST = "31c08ed8 b9{high} ba{low} b486cd15 be1f7c ac84c07406baf803eeebf5f4ebfd"


def pytest_report_header() -> str:
    way, why = chosen()
    return f"install of `make e2e`: {way.name} (of {', '.join(names())}), {why}"


@pytest.fixture(autouse=True)
def _test_leaves_nothing() -> None:
    """Replaces the guard of single tests: a lab may outlive its test, and must be gone when its module ends."""


@pytest.fixture(scope="module")
def labs() -> Iterator[Labs]:
    with tempfile.TemporaryDirectory(prefix="cluster0-vm-") as root:
        labs = Labs(Path(root))
        yield labs
        for each in list(labs.running):
            labs.take_down(each)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    found = getattr(item, "funcargs", {}).get("labs")
    if report.failed and isinstance(found, Labs):
        found.collect(item.name)
    return report


@pytest.fixture(scope="session")
def base_iso() -> Path:
    """The base ISO named by CLUSTER0_BASE_ISO, else the one of this checkout, built unless it is in the cache."""
    if named := os.environ.get("CLUSTER0_BASE_ISO"):
        return Path(named)
    built = subprocess.run([image.cluster0(), "image", "build"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(built.stdout.strip())


def boot_sector(text: str, after_seconds: float = 0) -> bytes:
    """A guest that prints `text` and then nothing; an empty text prints only a line break."""
    high, low = (part.to_bytes(2, "little").hex() for part in divmod(int(after_seconds * 1_000_000), 1 << 16))
    code = bytes.fromhex(SMALL_GUEST.format(high=high, low=low))
    return (code + text.encode() + b"\r\n\0").ljust(510, b"\0") + b"\x55\xaa"


@pytest.fixture
def tiny_guest(tmp_path: Path) -> Path:
    """A USB stick that boots in a second."""
    path = tmp_path / "tiny.img"
    path.write_bytes(boot_sector("tiny guest is up").ljust(1 << 20, b"\0"))
    return path


@pytest.fixture
def small_iso(tmp_path: Path) -> Callable[..., Path]:
    """`small_iso(text, after_seconds)`: a stick with that boot sector that looks like a live system to the lab."""

    def make(text: str, after_seconds: float = 0) -> Path:
        tree, iso = tmp_path / "tree", tmp_path / f"small-{len(text)}.iso"
        for inside in live_system.FILES.values():
            (tree / inside.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (tree / inside.lstrip("/")).write_text("linux /live/vmlinuz console=ttyS0 loglevel=6\n")
        (tmp_path / "sector").write_bytes(boot_sector(text, after_seconds))
        subprocess.run(
            ["xorriso", "-as", "mkisofs", "-quiet", "-r", "-G", tmp_path / "sector", "-o", iso, tree], check=True
        )
        return iso

    return make
