"""Is there enough memory for any role?

Firmware reserves some memory, so a machine with 4 GiB shows less. The tolerance is 100 MiB, and another 2 % where only
the kernel's own figure is known. Source: assisted-service.
"""

from __future__ import annotations

from agent.model.inventory import Memory
from node0.validations.engine import requirements
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.requirements import GIB, MIB
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

TOLERANCE = 100 * MIB
KERNEL_SHARE = 0.02


def check(facts: HostFacts) -> Verdict:
    return verdict(facts.inventory.memory, requirements.ANY_ROLE.memory_bytes, "any host")


def verdict(memory: Memory, needed: int, role: str) -> Verdict:
    tolerance = TOLERANCE + (int(needed * KERNEL_SHARE) if memory.physical_bytes_method == "meminfo" else 0)
    words = f"The host has {memory.physical_bytes / GIB:.2f} GiB of memory; {role} needs {needed / GIB:g} GiB."
    if memory.physical_bytes + tolerance >= needed:
        return success(words)
    return failure(words, "Give the machine more memory, or another role.")


VALIDATION = Validation(
    id="has-min-memory",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
