"""Could the speed of the installation disk be measured?

A disk that is slower than etcd recommends (10 ms for a synced write) only causes a warning: a slow cluster still works.
Source of the limit and of the warning: assisted-service.
"""

from __future__ import annotations

from node0.store.records import HostRecord
from node0.validations.engine import requirements
from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    speed = facts.host.disk_speed
    assert speed is not None
    if speed.reply is None:
        return failure(f"{speed.path} could not be measured: {speed.error}.", "Check the disk, or choose another one.")
    found, limit = speed.reply.io_sync_duration, facts.needs.sync_ms
    words = (
        f"99 of 100 synced writes to {speed.path} take {found} ms or less; {facts.role_words} should have {limit} ms."
    )
    return success(f"Warning: {words}" if is_slow(facts.host) else words)


def is_slow(host: HostRecord) -> bool:
    """Whether its disk was measured and is slower than its role recommends."""
    reply = host.disk_speed.reply if host.disk_speed else None
    limit = requirements.of(is_control_plane=host.is_control_plane).sync_ms
    return reply is not None and reply.io_sync_duration > limit


VALIDATION = Validation(
    id="sufficient-installation-disk-speed",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=lambda facts: facts.host.disk_speed is not None,
    when="the install was requested and the disk was measured",
)
