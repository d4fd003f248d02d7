"""One machine: its root directory, its programs, its clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agent.machine.clock import Clock
from agent.machine.files import Files
from agent.machine.process import Processes


@dataclass(frozen=True)
class Machine:
    """What the logic gets instead of the operating system."""

    files: Files = field(default_factory=lambda: Files(Path("/")))
    processes: Processes = field(default_factory=Processes)
    clock: Clock = field(default_factory=Clock)
