"""A host called. Mostly that is no news: then nothing is written."""

from __future__ import annotations

from datetime import datetime

import msgspec

from agent.model.states import HostStatus
from node0.reconcile.transaction import Change, Transaction
from node0.store.records import HostRecord

# Less is the way of the message, not the clock.
OFFSET_STEP_SECONDS = 30


def check_in(infra_env_id: str, host_id: str, timestamp: int) -> Change:
    """`timestamp`: the host's clock as Unix seconds, 0 when it did not say."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if timestamp:
            transaction.put_host(msgspec.structs.replace(host, clock_offset=_offset(timestamp, transaction.now)))

    return change


def is_news(host: HostRecord, timestamp: int, now: datetime) -> bool:
    """Whether the call says more than that the host is still there."""
    if host.status is HostStatus.DISCONNECTED:
        return True
    if not timestamp:
        return False
    return host.clock_offset is None or abs(_offset(timestamp, now) - host.clock_offset) >= OFFSET_STEP_SECONDS


def _offset(timestamp: int, now: datetime) -> int:
    return timestamp - int(now.timestamp())
