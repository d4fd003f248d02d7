"""Does the host have the requested disk, and can it be installed to? Our addition."""

from __future__ import annotations

from collections.abc import Sequence

from agent.model.inventory import Disk
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.disks import disk_selection


def check(facts: HostFacts) -> Verdict:
    candidates, request = disk_selection.candidates(facts.host), disk_selection.requested(facts.host)
    if candidates:
        return success(_choice(candidates, request))
    table = disk_selection.table(facts.host, least_bytes=facts.needs.disk_bytes)
    return failure(
        f"rootDeviceHints {request}: no usable disk matches. {table}." if request else f"{table}.",
        "Correct rootDeviceHints in agent-config.yaml, and create the image again.",
    )


def _choice(candidates: Sequence[Disk], request: str) -> str:
    taken, *others = (disk.path for disk in candidates)
    if not request:
        return f"No disk was requested; {taken} is the best usable one."
    if not others:
        return f"{request} was requested: {taken}."
    return f"{request} matches {len(candidates)} disks; {taken} is used before {', '.join(others)}."


VALIDATION = Validation(
    id="installation-disk",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
