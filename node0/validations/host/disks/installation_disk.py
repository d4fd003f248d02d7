"""Is the disk that was asked for there, and can it be used? Our addition: no hint that matches nothing goes unseen."""

from __future__ import annotations

from collections.abc import Sequence

from agent.model.inventory import Disk
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.disks import disk_selection


def check(facts: HostFacts) -> Verdict:
    candidates, wish = disk_selection.candidates(facts.host), disk_selection.requested(facts.host)
    if candidates:
        return success(_choice(candidates, wish))
    table = disk_selection.table(facts.host, least_bytes=facts.needs.disk_bytes)
    return failure(
        f"rootDeviceHints {wish}: no disk that can be used fits. {table}." if wish else f"{table}.",
        "Give hints in agent-config.yaml that fit one that can be used, and make the image again.",
    )


def _choice(candidates: Sequence[Disk], wish: str) -> str:
    taken, *others = (disk.path for disk in candidates)
    if not wish:
        return f"No disk was asked for; {taken} is the best of those that can be used."
    if not others:
        return f"{wish} was asked for: {taken}."
    return f"{wish} fits {len(candidates)} disks; {taken} is taken before {', '.join(others)}."


VALIDATION = Validation(
    id="installation-disk",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
