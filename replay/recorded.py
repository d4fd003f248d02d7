"""The recorded machines that come with cluster0: files of `cluster0-agent --record`."""

from __future__ import annotations

from pathlib import Path

from agent.record.load import load
from agent.record.machine import MachineRecord

DIRECTORY = Path(__file__).with_name("machines")


def machines() -> dict[str, MachineRecord]:
    """Every machine in `DIRECTORY`, by the name of its file without `.json`."""
    return {path.stem: load(path) for path in sorted(DIRECTORY.glob("*.json"))}
