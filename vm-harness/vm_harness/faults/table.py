"""All faults, by name. A new family is a module with `FAULTS`, listed here."""

from __future__ import annotations

from agent.model.problems import Problem
from vm_harness.faults import addresses, cable, clock, disk, hardware, medium, power, programs, service, space
from vm_harness.faults.fault import Fault

FAMILIES = {
    "power": power.FAULTS,
    "programs": programs.FAULTS,
    "network": (*cable.FAULTS, *addresses.FAULTS),
    "disk": (*disk.FAULTS, *space.FAULTS),
    "medium": medium.FAULTS,
    "node0": service.FAULTS,
    "hardware": hardware.FAULTS,
    "clock": clock.FAULTS,
}
"""In the order in which users see them."""
FAULTS = {fault.name: fault for family in FAMILIES.values() for fault in family}


def find(name: str) -> Fault:
    """Raises `Problem` (`no-such-fault`)."""
    if name not in FAULTS:
        raise Problem(
            code="no-such-fault", title=f"there is no fault {name}", remedy="List them: cluster0 lab fault --list"
        )
    return FAULTS[name]
