"""A host becomes a node: it gets a credential, requests a certificate with it, and the credential is used up."""

from __future__ import annotations

from datetime import datetime

import msgspec

from agent.model.states import EventSeverity
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.join_turn import join_obstacle
from node0.store.records import HostRecord, JoinRecord, Records


def check_turn(host: HostRecord, records: Records, now: datetime) -> None:
    """Raises `Conflict` (`join-not-yet`) while it is not the host's turn."""
    if why := join_obstacle(host, records, now):
        raise Conflict(code="join-not-yet", title=why)


def issue(infra_env_id: str, host_id: str, token_id: str, expires_at: datetime) -> Change:
    """The host gets a credential. Raises as `check_turn`."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        check_turn(host, transaction.records, transaction.now)
        transaction.put_host(msgspec.structs.replace(host, join=JoinRecord(token_id=token_id, expires_at=expires_at)))
        transaction.add_event(
            "host_join_credential_minted", f"Host {host.label}: may join until {expires_at:%H:%M:%S} UTC", host=host
        )

    return change


def record_decision(infra_env_id: str, host_id: str, *, approved: bool, reason: str) -> Change:
    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if approved:
            transaction.add_event(
                "host_certificate_approved", f"Host {host.label}: its node certificate was approved", host=host
            )
        else:
            words = f"Host {host.label}: a certificate was refused: {reason}"
            transaction.add_event("host_certificate_denied", words, severity=EventSeverity.WARNING, host=host)

    return change


def record_use(infra_env_id: str, host_id: str) -> Change:
    """The node has its certificate: its credential is not accepted any more."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if host.join is not None:
            transaction.put_host(msgspec.structs.replace(host, join=msgspec.structs.replace(host.join, is_used=True)))

    return change
