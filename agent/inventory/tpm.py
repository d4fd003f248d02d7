"""The trusted platform module."""

from __future__ import annotations

from agent.machine import Machine

VERSIONS = {"1": "1.2", "2": "2.0"}


def collect(machine: Machine) -> str:
    """`none`, `1.2` or `2.0`."""
    return VERSIONS.get(machine.files.attribute("/sys/class/tpm/tpm0/tpm_version_major"), "none")
