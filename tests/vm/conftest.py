"""Labs for tests: brought up on request, taken down whatever happens, with evidence in ./evidence when a test fails."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agent.api.problems import Problem
from vm_harness import evidence, image, lab
from vm_harness.directories import Directories
from vm_harness.lab import Lab
from vm_harness.progress import say
from vm_harness.request import LabRequest

T = TypeVar("T")

EVIDENCE = Path(__file__).parents[2] / "evidence"

# A sector that says so on the serial port and halts: a guest that is up in a second, for tests of the lab itself.
TINY_GUEST = bytes.fromhex("31c08ed8be157cac84c07406baf803eeebf5f4ebfd") + b"tiny guest is up\r\n\0"


class Labs:
    """The labs of one test module, each in a directory of its own."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.up: list[Lab] = []

    def directories(self, name: str = "lab") -> Directories:
        path = self._root / name
        path.mkdir(exist_ok=True)
        return Directories.of(path)

    def bring_up(self, name: str = "lab", **wishes: Any) -> Lab:
        """`wishes`: fields of `LabRequest`."""
        started = lab.up(LabRequest(directories=self.directories(name), **wishes))
        self.up.append(started)
        return started

    def take_down(self, which: Lab) -> None:
        self.up.remove(which)
        which.close()
        lab.down(which.directories)

    def run(self, story: Callable[[Lab], T], **wishes: Any) -> T:
        """Bring a lab up and tell it a story; once more when emulation itself killed the guest's kernel."""
        first = self.bring_up(**wishes)
        try:
            return story(first)
        except Problem as problem:
            if problem.code != "guest-kernel-panic" or not first.acceleration.is_emulation:
                raise
            say(f"{problem}\nQEMU's emulation may do that: trying once more")
        collect(self, "first-try")
        self.take_down(first)
        return story(self.bring_up(**wishes))

    def see_installed(self, which: Lab, *, timeout: float) -> None:
        """`cluster0 wait-for install-complete` ends well."""
        argv = [image.cluster0(), "wait-for", "install-complete", "--dir", os.fspath(which.directories.inputs)]
        ended = which.run([*argv, "-o", "json"], timeout=timeout)
        assert ended.exit_code == 0, ended.stdout + ended.stderr


def collect(labs: Labs, name: str) -> None:
    for each in labs.up:
        into = EVIDENCE / name / each.directories.inputs.name
        evidence.collect(each.directories, each, into)
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


@pytest.fixture
def tiny_guest(tmp_path: Path) -> Path:
    """A medium that boots in a second, to be used as a stick."""
    path = tmp_path / "tiny.img"
    path.write_bytes((TINY_GUEST.ljust(510, b"\0") + b"\x55\xaa").ljust(1 << 20, b"\0"))
    return path
