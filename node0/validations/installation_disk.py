"""Is the disk that was asked for there, and can it be used? Our addition: no hint that matches nothing goes unseen."""

from __future__ import annotations

from node0.validations import disks
from node0.validations.facts import HostFacts, inventory_missing
from node0.validations.rule import Category, Gate, Rule, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    chosen, wish = disks.installation_disk(facts.host), facts.host.requested_disk
    if chosen is not None and wish:
        return success(f"{wish} was asked for: {chosen.path}.")
    if chosen is not None:
        return success(f"No disk was asked for; {chosen.path} is the best of those that can be used.")
    table = disks.table(facts.host, least_bytes=facts.needs.disk_bytes)
    return failure(
        f"rootDeviceHints.deviceName {wish} names no disk that can be used: {table}." if wish else f"{table}.",
        "Name one that can be used in agent-config.yaml and make the image again.",
    )


RULE = Rule(
    id="installation-disk",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
