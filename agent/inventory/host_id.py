"""The id by which a host is known: the same on every boot, from the hardware alone.

The rule is assisted-installer-agent's, so that a host has the same id with either agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from uuid import UUID

from agent.inventory.system_vendor import DMI
from agent.machine import Machine
from agent.network.nics import read_nics

NOT_A_SERIAL = frozenset(
    {
        "",
        "unknown",
        "none",
        "(none)",
        "-",
        "default string",
        "not specified",
        "unspecified base board serial number",
        "unspecified system serial number",
        "pca_number.acc",
    }
)
NOT_A_UUID = frozenset({"", "00000000-0000-0000-0000-000000000000", "03000200-0400-0500-0006-000700080009"})
NOTHING_KNOWN = "deaddead-dead-dead-dead-deaddeaddead"


def read_host_id(machine: Machine) -> str:
    board_serial = machine.files.attribute(f"{DMI}/board_serial")
    system_uuid = machine.files.attribute(f"{DMI}/product_uuid")
    return choose(board_serial, system_uuid, (nic.mac for nic in read_nics(machine)))


def choose(board_serial: str, system_uuid: str, macs: Iterable[str]) -> str:
    """Board serial (hashed), else the system's UUID, else the lowest MAC (hashed)."""
    if board_serial.strip().lower() not in NOT_A_SERIAL:
        return _hashed(board_serial)
    if system_uuid.lower() not in NOT_A_UUID:
        return system_uuid.lower()
    lowest = min(macs, default="")
    return _hashed(lowest) if lowest else NOTHING_KNOWN


def _hashed(text: str) -> str:
    return str(UUID(bytes=hashlib.md5(text.encode(), usedforsecurity=False).digest()))
