"""A host checks in. Most check-ins change nothing, and nothing is written then."""

from __future__ import annotations

from datetime import datetime

import msgspec

from agent.model.states import HostStatus
from node0.reconcile.transaction import Change, Transaction
from node0.store.records import HostRecord

# A smaller offset comes from the time that the request takes.
OFFSET_STEP_SECONDS = 30


def check_in(infra_env_id: str, host_id: str, timestamp: int) -> Change:
    """`timestamp`: the host's clock as Unix seconds, 0 when it did not report it."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if timestamp:
            transaction.put_host(msgspec.structs.replace(host, clock_offset=_offset(timestamp, transaction.now)))

    return change


def changes_record(host: HostRecord, timestamp: int, now: datetime) -> bool:
    """Whether the check-in says more than that the host still runs."""
    if host.status is HostStatus.DISCONNECTED:
        return True
    if not timestamp:
        return False
    return host.clock_offset is None or abs(_offset(timestamp, now) - host.clock_offset) >= OFFSET_STEP_SECONDS


def _offset(timestamp: int, now: datetime) -> int:
    return timestamp - int(now.timestamp())
