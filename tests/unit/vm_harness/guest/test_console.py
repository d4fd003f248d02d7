"""Waits for text on a serial console, and what ends them."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.model.problems import Problem
from vm_harness.guest.console import LAST_LINES, WIDTH, Console
from vm_harness.guest.watch import Watch
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.lifecycle import Failure, MachineFailed
from vm_harness.machine.log_reader import BLOCK_BYTES


class Guest:
    """A machine and the changes of its power; the test stops it and writes its log."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.name, self.acceleration, self.guest = "node0", Acceleration.EMULATION, ""
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopped: Failure | None = None
        self._is_on = True
        self.console = Console(self, log)
        self.watch = Watch([self.console], self)

    def is_on(self) -> bool:
        return self._is_on

    def failure(self) -> Failure | None:
        return self._stopped

    def end_of_log(self) -> str:
        return "KVM internal error. Suberror: 1"

    def clear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.descriptor)

    def stop(self, failure: Failure) -> None:
        self._stopped = failure
        os.eventfd_write(self.descriptor, 1)

    def go_off(self) -> None:
        self._is_on = False
        os.eventfd_write(self.descriptor, 1)

    def print(self, text: str) -> None:
        with self.log.open("a") as log:
            log.write(text)

    def wait_for(self, pattern: str, *, timeout: float, since: int | None = None) -> re.Match[str]:
        return self.watch.wait_for_text(self.console, pattern, timeout=timeout, since=since)

    def close(self) -> None:
        self.watch.close()
        os.close(self.descriptor)


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    log = tmp_path / "serial.log"
    log.touch()
    guest = Guest(log)
    yield guest
    guest.close()


def soon(action: threading.Timer) -> threading.Timer:
    action.start()
    return action


def test_text_that_is_already_printed_is_found_at_once(guest: Guest) -> None:
    guest.print("login: \n")
    assert guest.wait_for("login:", timeout=0)[0] == "login:"


def test_text_is_found_when_it_is_printed(guest: Guest) -> None:
    guest.print("booting\n")
    timer = soon(threading.Timer(0.1, guest.print, ["node0 \x1b[32mlogin\x1b[0m: "]))
    before = time.monotonic()
    assert guest.wait_for(r"(\w+) login:", timeout=20)[1] == "node0"
    assert time.monotonic() - before < 5
    timer.join()


def test_text_is_found_in_a_line_that_is_printed_in_parts(guest: Guest) -> None:
    guest.print("node0 lo")
    timer = soon(threading.Timer(0.1, guest.print, ["gin: "]))
    assert guest.wait_for(r"(\w+) login:", timeout=20)[1] == "node0"
    timer.join()


def test_a_wait_ends_when_the_machine_is_switched_off(guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.go_off))
    with pytest.raises(Problem, match="machine is off") as gave_up:
        guest.wait_for("login:", timeout=20)
    assert gave_up.value.code == "machine-off"
    timer.join()


@pytest.mark.parametrize(
    "panic",
    [
        "[    1.2] Kernel panic - not syncing: Attempted to kill init!\n",
        "[    1.2] double fault: 0000 [#1] PREEMPT SMP\n",
    ],
)
def test_a_wait_ends_with_the_panic_of_the_kernel(panic: str, guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.print, [panic]))
    with pytest.raises(MachineFailed) as failed:
        guest.wait_for("login:", timeout=20)
    assert failed.value.code == "guest-kernel-panic"
    assert panic[10:20] in failed.value.detail
    timer.join()


def test_a_wait_ends_at_once_with_the_last_lines_of_a_machine_that_stops_by_itself(guest: Guest) -> None:
    guest.print("stuck here\n")
    timer = soon(threading.Timer(0.1, guest.stop, [Failure("machine-paused", "QEMU has paused it by itself")]))
    before = time.monotonic()
    with pytest.raises(MachineFailed, match="paused it by itself") as failed:
        guest.wait_for("login:", timeout=20)
    assert time.monotonic() - before < 5
    assert "stuck here" in failed.value.detail
    assert "Suberror: 1" in failed.value.detail
    timer.join()


def test_a_wait_ends_when_the_kernel_prints_no_line_in_time(guest: Guest) -> None:
    guest.console.begin_boot(0.2)
    guest.print("cluster0: loading the live system ...\n")
    with pytest.raises(MachineFailed, match="no line of its kernel within") as failed:
        guest.wait_for("login:", timeout=20)
    assert failed.value.code == "machine-silent"


def test_a_machine_that_is_off_before_its_kernel_has_started_is_reported_as_off(guest: Guest) -> None:
    guest.console.begin_boot(20)
    timer = soon(threading.Timer(0.1, guest.go_off))
    with pytest.raises(MachineFailed, match="it is off, and its kernel has printed no line"):
        guest.watch.wait_for_kernels()
    timer.join()


@pytest.mark.parametrize("line", ["[    0.000000] Linux version 6.12\n", "Linux version 6.12\n"])
def test_a_kernel_that_has_printed_a_line_need_not_print_more(line: str, guest: Guest) -> None:
    guest.console.begin_boot(0.2)
    guest.print(line)
    with pytest.raises(Problem) as gave_up:
        guest.wait_for("login:", timeout=0.5)
    assert gave_up.value.code == "console-timeout"


def test_output_without_line_breaks_is_folded(guest: Guest) -> None:
    guest.print("menu" + " " * 50_000 + "x" * 50_000 + "end\n")
    lines = guest.console.last_lines().splitlines()
    assert len(lines) == LAST_LINES
    assert {len(line) for line in lines[:-1]} == {WIDTH}
    assert lines[-1].endswith("end")


def test_a_panic_is_found_in_little_memory_before_a_flood_of_output(guest: Guest) -> None:
    with guest.log.open("wb") as log:
        log.write(b"Kernel panic - not syncing: early\n")
        for _ in range(64):
            log.write(b"x" * BLOCK_BYTES)
    tracemalloc.start()
    with pytest.raises(MachineFailed, match="early"):
        guest.console.check()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * BLOCK_BYTES


def test_a_panic_in_an_endless_line_is_reported_in_one_short_line(guest: Guest) -> None:
    guest.print("Kernel panic - not syncing: " + "x" * BLOCK_BYTES)
    with pytest.raises(MachineFailed, match="Kernel panic - not syncing: x") as failed:
        guest.console.check()
    assert len(str(failed.value)) < (LAST_LINES + 10) * (WIDTH + 1)


def test_the_panic_of_an_earlier_boot_is_ignored(guest: Guest) -> None:
    guest.print("Kernel panic - not syncing: test\n")
    guest.console.begin_boot()
    guest.print("login: ")
    guest.wait_for("login:", timeout=0)


def test_a_wait_ends_at_its_deadline_with_the_last_lines(guest: Guest) -> None:
    guest.print("stuck here\n")
    with pytest.raises(Problem, match=r"within 0\.1 s") as gave_up:
        guest.wait_for("login:", timeout=0.1)
    assert gave_up.value.code == "console-timeout"
    assert "stuck here" in gave_up.value.detail


def test_a_wait_ends_when_the_guest_prints(guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.print, ["."]))
    before = time.monotonic()
    guest.watch.wait(20)
    assert time.monotonic() - before < 5
    timer.join()


def test_text_before_a_mark_is_not_found(guest: Guest) -> None:
    guest.print("login: ")
    with pytest.raises(Problem, match="login"):
        guest.wait_for("login:", timeout=0, since=guest.console.mark())
