"""Waiting for words on a serial log that a real process writes."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.api.problems import Problem
from vm_harness.console import Console
from vm_harness.processes import ProcessId


class Guest:
    """A stand-in for QEMU: `cat` lives until it is told to end, and the test writes its log."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.console = Console("node0", log, self.qemu)

    def qemu(self) -> ProcessId | None:
        try:
            return ProcessId.of(self.process.pid)
        except ProcessLookupError:
            return None

    def say(self, words: str) -> None:
        with self.log.open("a") as log:
            log.write(words)

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    log = tmp_path / "serial.log"
    log.touch()
    guest = Guest(log)
    yield guest
    guest.end()


def soon(action: threading.Timer) -> threading.Timer:
    action.start()
    return action


def test_words_that_are_there_are_found_at_once(guest: Guest) -> None:
    guest.say("login: \n")
    assert guest.console.wait_for("login:", timeout=0)[0] == "login:"


def test_words_are_found_when_they_come(guest: Guest) -> None:
    guest.say("booting\n")
    timer = soon(threading.Timer(0.1, guest.say, ["node0 \x1b[32mlogin\x1b[0m: "]))
    before = time.monotonic()
    assert guest.console.wait_for(r"(\w+) login:", timeout=20)[1] == "node0"
    assert time.monotonic() - before < 5
    timer.join()


def test_a_machine_that_goes_off_ends_the_wait(guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.end))
    with pytest.raises(Problem, match="machine is off") as gave_up:
        guest.console.wait_for("login:", timeout=20)
    assert gave_up.value.code == "machine-off"
    timer.join()


@pytest.mark.parametrize(
    "words",
    [
        "[    1.2] Kernel panic - not syncing: Attempted to kill init!\n",
        "[    1.2] double fault: 0000 [#1] PREEMPT SMP\n",
    ],
)
def test_a_dead_kernel_ends_the_wait_and_is_named(words: str, guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.say, [words]))
    with pytest.raises(Problem) as gave_up:
        guest.console.wait_for("login:", timeout=20)
    assert gave_up.value.code == "guest-kernel-panic"
    assert words[10:20] in gave_up.value.detail
    timer.join()


def test_the_panic_of_an_earlier_boot_is_past(guest: Guest) -> None:
    guest.say("Kernel panic - not syncing: test\n")
    guest.console.begin_boot()
    guest.say("login: ")
    guest.console.wait_for("login:", timeout=0)


def test_silence_runs_into_the_deadline_with_the_last_lines(guest: Guest) -> None:
    guest.say("stuck here\n")
    with pytest.raises(Problem, match=r"within 0\.1 s") as gave_up:
        guest.console.wait_for("login:", timeout=0.1)
    assert gave_up.value.code == "console-timeout"
    assert "stuck here" in gave_up.value.detail


def test_a_pause_ends_when_the_guest_prints(guest: Guest) -> None:
    timer = soon(threading.Timer(0.1, guest.say, ["."]))
    before = time.monotonic()
    guest.console.pause(20)
    assert time.monotonic() - before < 5
    timer.join()


def test_only_what_follows_a_mark_counts(guest: Guest) -> None:
    guest.say("login: ")
    with pytest.raises(Problem, match="login"):
        guest.console.wait_for("login:", timeout=0, since=guest.console.mark())
