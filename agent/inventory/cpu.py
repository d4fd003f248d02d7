"""Processors."""

from __future__ import annotations

from agent.machine import Machine
from agent.model.inventory import Cpu


def collect(machine: Machine) -> Cpu:
    first = parse(machine.files.attribute("/proc/cpuinfo"))
    return Cpu(
        count=machine.kernel.cpu_count(),
        architecture=machine.kernel.architecture(),
        model_name=first.get("model name", ""),
        frequency=machine.kernel.cpu_mhz(),
        flags=tuple(first.get("flags", "").split()),
    )


def parse(cpuinfo: str) -> dict[str, str]:
    """The fields of the first processor in `/proc/cpuinfo`."""
    first = cpuinfo.partition("\n\n")[0]
    fields = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in fields}
