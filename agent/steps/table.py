"""Step type → what to run, with how many arguments, for how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from agent.api.steps import Step, StepType
from agent.steps import install, inventory, ntp_synchronizer
from agent.steps.context import Context

Run = Callable[[Context, Step], Awaitable[str]]


@dataclass(frozen=True)
class Row:
    """`run` returns the reply's output, a JSON document or empty. `timeout` in seconds."""

    run: Run
    arguments: int
    timeout: float


TABLE: Mapping[str, Row] = {
    StepType.INVENTORY: Row(inventory.run, arguments=1, timeout=60),
    StepType.NTP_SYNCHRONIZER: Row(ntp_synchronizer.run, arguments=1, timeout=30),
    StepType.INSTALL: Row(install.run, arguments=1, timeout=4 * 3600),
}
