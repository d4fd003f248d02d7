"""What a step may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from agent.machine import Machine
from agent.model.intent import ClusterIntent
from agent.model.states import Stage
from agent.status import StatusBoard

Report = Callable[[Stage, str], Awaitable[None]]


@dataclass(frozen=True)
class Context:
    """`report` sends the stage that an install has reached to node0. `stop` ends the running step of a type, if any is.
    `upload_logs` sends an archive to node0."""

    machine: Machine
    intent: ClusterIntent
    board: StatusBoard
    report: Report
    stop: Callable[[str], Awaitable[bool]]
    upload_logs: Callable[[Path], Awaitable[None]]
