"""What this host's network lacks of the inputs, as `cluster0-agent network-verify` last reported it."""

from __future__ import annotations

from agent.machine import Machine
from agent.model.host_documents import NetworkReport
from agent.model.host_paths import NETWORK_FILE


def collect(machine: Machine) -> tuple[str, ...]:
    report = machine.files.load(NETWORK_FILE, NetworkReport)
    return tuple(problem.title for problem in report.problems) if report else ()
