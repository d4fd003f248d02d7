"""Running a program to its end, with something else to look at meanwhile."""

from __future__ import annotations

import time

import pytest

from agent.model.problems import Problem
from vm_harness import command
from vm_harness.command import run


@pytest.fixture(autouse=True)
def _short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "WAITING_SECONDS", 0.1)


def test_output_of_all_turns_is_kept() -> None:
    turns: list[float] = []
    script = "head -c 300000 /dev/zero | tr '\\0' x; sleep 0.5; echo end"
    finished = run(["sh", "-c", script], timeout=20, while_waiting=lambda: turns.append(time.monotonic()))
    assert finished.stdout == "x" * 300_000 + "end\n"
    assert turns


def test_what_is_raised_meanwhile_ends_the_program() -> None:
    def fail() -> None:
        raise Problem(code="machine-paused", title="node0: QEMU has paused it by itself")

    before = time.monotonic()
    with pytest.raises(Problem, match="paused it by itself"):
        run(["sleep", "100"], timeout=60, while_waiting=fail)
    assert time.monotonic() - before < 5


def test_a_program_that_does_not_end_in_time_is_killed() -> None:
    before = time.monotonic()
    with pytest.raises(Problem, match=r"sleep did not end within 0\.3 s"):
        run(["sleep", "100"], timeout=0.3)
    assert time.monotonic() - before < 5
