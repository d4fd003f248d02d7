"""Waits for several machines at once, which share one descriptor for changes of their power."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from vm_harness.guest.console import Console
from vm_harness.guest.watch import Watch
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.lifecycle import Failure, MachineFailed

PAUSED = Failure("machine-paused", "QEMU has paused it by itself")


class Changes:
    """Replaces `LifecycleEvents`."""

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def clear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.descriptor)


@dataclass
class SharedPower:
    """A machine on the descriptor of `changes`; `after_check` is called after each look at its state."""

    name: str
    changes: Changes
    after_check: Callable[[], None] = lambda: None
    acceleration: Acceleration = Acceleration.EMULATION
    guest: str = ""
    stopped: list[Failure] = field(default_factory=list)

    def stop(self) -> None:
        self.stopped.append(PAUSED)
        os.eventfd_write(self.changes.descriptor, 1)

    def failure(self) -> Failure | None:
        now = self.stopped[0] if self.stopped else None
        self.after_check()
        return now

    def is_on(self) -> bool:
        return True

    def end_of_log(self) -> str:
        return ""


@pytest.fixture
def changes() -> Iterator[Changes]:
    changes = Changes()
    yield changes
    os.close(changes.descriptor)


def console(power: SharedPower, log: Path, kernel_seconds: float | None) -> Console:
    console = Console(power, log)
    console.begin_boot(kernel_seconds)
    return console


def test_a_machine_that_stops_while_another_is_checked_ends_the_wait_at_once(changes: Changes, tmp_path: Path) -> None:
    first = SharedPower("node0", changes)
    second = SharedPower("node1", changes, after_check=lambda: None if first.stopped else first.stop())
    consoles = [console(first, tmp_path / "0.log", 30), console(second, tmp_path / "1.log", 30)]
    before = time.monotonic()
    with closing(Watch(consoles, changes)) as watch, pytest.raises(MachineFailed, match="node0: QEMU has paused it"):
        watch.wait_for_kernels()
    assert time.monotonic() - before < 5


def test_a_wait_for_one_console_ends_when_another_machine_fails(changes: Changes, tmp_path: Path) -> None:
    first, second = SharedPower("node0", changes), SharedPower("node1", changes)
    consoles = [console(first, tmp_path / "0.log", None), console(second, tmp_path / "1.log", None)]
    timer = threading.Timer(0.1, first.stop)
    timer.start()
    with closing(Watch(consoles, changes)) as watch, pytest.raises(MachineFailed, match="node0: QEMU has paused it"):
        watch.wait_for_text(consoles[1], "login:", timeout=20)
    timer.join()


def test_a_wait_for_kernels_ends_when_the_last_one_has_printed_a_line(changes: Changes, tmp_path: Path) -> None:
    logs = [tmp_path / "0.log", tmp_path / "1.log"]
    consoles = [console(SharedPower(f"node{number}", changes), log, 30) for number, log in enumerate(logs)]
    for log in logs:
        log.write_text("[    0.000000] Linux version 6.12\n")
    before = time.monotonic()
    with closing(Watch(consoles, changes)) as watch:
        watch.wait_for_kernels()
    assert time.monotonic() - before < 5


def test_the_machine_whose_kernel_prints_no_line_is_named(changes: Changes, tmp_path: Path) -> None:
    consoles = [console(SharedPower(f"node{number}", changes), tmp_path / f"{number}.log", 0.2) for number in (0, 1)]
    (tmp_path / "0.log").write_text("[    0.000000] Linux version 6.12\n")
    expected = r"node1: no line of its kernel within 0\.2 s"
    with closing(Watch(consoles, changes)) as watch, pytest.raises(MachineFailed, match=expected):
        watch.wait_for_kernels()


def test_a_wait_for_kernels_without_an_expected_line_ends_at_once(changes: Changes, tmp_path: Path) -> None:
    with closing(Watch([console(SharedPower("node0", changes), tmp_path / "0.log", None)], changes)) as watch:
        watch.wait_for_kernels()


def test_no_kernel_line_is_expected_of_a_machine_after_a_power_cut(changes: Changes, tmp_path: Path) -> None:
    cut = console(SharedPower("node0", changes), tmp_path / "0.log", 0.0)
    cut.end_boot()
    with closing(Watch([cut], changes)) as watch:
        watch.check()
