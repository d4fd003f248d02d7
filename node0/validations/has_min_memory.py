"""Is there memory enough for the role?

Firmware keeps some for itself, so a machine sold with 4 GiB shows less: 100 MiB are forgiven, and another 2 % when
only the kernel's own figure is known. Source: assisted-service.
"""

from __future__ import annotations

from node0.validations.facts import HostFacts
from node0.validations.requirements import GIB, MIB
from node0.validations.rule import Category, Gate, Rule, Verdict, failure, pending, success

TOLERANCE = 100 * MIB
KERNEL_SHARE = 0.02


def check(facts: HostFacts) -> Verdict:
    if not facts.has_inventory:
        return pending("Waiting for the inventory.")
    memory, needed = facts.inventory.memory, facts.needs.memory_bytes
    forgiven = TOLERANCE + (int(needed * KERNEL_SHARE) if memory.physical_bytes_method == "meminfo" else 0)
    words = (
        f"The host has {memory.physical_bytes / GIB:.2f} GiB of memory; {facts.role_words} needs {needed / GIB:g} GiB."
    )
    if memory.physical_bytes + forgiven >= needed:
        return success(words)
    return failure(words, "Give the machine more memory, or another role.")


RULE = Rule(id="has-min-memory", category=Category.HARDWARE, gate=Gate.HARDWARE, check=check)
