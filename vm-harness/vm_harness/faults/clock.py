"""The clock of a host. A container has the computer's, and may not set it."""

from __future__ import annotations

from functools import partial

from vm_harness.faults.fault import Fault, Target
from vm_harness.machine.machines import LabMachine

YEARS = "1096 days"
MINUTES = "20 minutes"


def turn(how: str, target: Target) -> None:
    """`how`: for date(1), relative to now."""
    target.node.succeed(f"sudo date --set '{how}'")


def _wrong(name: str, summary: str, ahead: str, back: str) -> Fault:
    return Fault(name=name, summary=summary, begin=partial(turn, ahead), end=partial(turn, back), fits=(LabMachine,))


FAULTS = (
    _wrong("clock-years-ahead", "The clock jumps three years ahead, and back when the fault ends.", YEARS, f"-{YEARS}"),
    _wrong(
        "clock-years-behind", "The clock jumps three years back, and ahead when the fault ends.", f"-{YEARS}", YEARS
    ),
    _wrong("clock-jump", "The clock jumps 20 minutes ahead, and back when the fault ends.", MINUTES, f"-{MINUTES}"),
)
