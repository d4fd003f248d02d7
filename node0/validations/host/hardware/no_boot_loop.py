"""Does the host stay up? A host that reboots again and again registers each time, and never completes an install."""

from __future__ import annotations

from datetime import timedelta

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

STARTS = 3
WITHIN = timedelta(minutes=30)


def check(facts: HostFacts) -> Verdict:
    starts = facts.host.starts
    took = starts[-1] - starts[0]
    if len(starts) < STARTS or took > WITHIN:
        return success(f"The host has not started {STARTS} times within {_minutes(WITHIN)} minutes.")
    return failure(
        f"The host has started {STARTS} times within {_minutes(took)} minutes.",
        "Watch its console for the cause: power, a watchdog, memory, or firmware that does not wait for the ISO.",
    )


def _minutes(time: timedelta) -> int:
    return max(1, round(time / timedelta(minutes=1)))


VALIDATION = Validation(
    id="no-boot-loop",
    category=Category.HARDWARE,
    gate=Gate.SHOWN,
    check=check,
    applies=lambda facts: bool(facts.host.starts),
    when="the agent reports the starts of its machine",
)
