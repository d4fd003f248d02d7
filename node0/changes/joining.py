"""A host becomes a node: it gets a credential, requests a certificate with it, and the credential is used up.

A control plane also gets its turn to enter etcd, and gives it back when it votes.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from agent.model.states import EventSeverity
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.join_turn import etcd_obstacle, join_obstacle
from node0.store.records import HostRecord, JoinRecord, Records

# Longer than one attempt (`agent.kubeadm.join.JOIN_SECONDS`), so that a host can try again before the
# next one may enter, and takes its place in etcd.
TURN = timedelta(minutes=35)


def check_may_join(host: HostRecord, records: Records) -> None:
    """Raises `Conflict` (`join-not-yet`) while the host must wait."""
    if why := join_obstacle(host, records):
        raise Conflict(code="join-not-yet", title=why)


def issue(infra_env_id: str, host_id: str, token_id: str, expires_at: datetime) -> Change:
    """The host gets a credential. Its turn to enter etcd stays as it is. Raises as `check_may_join`."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        check_may_join(host, transaction.records)
        turn, votes = (host.join.enters_etcd_until, host.join.votes) if host.join else (None, False)
        join = JoinRecord(token_id=token_id, expires_at=expires_at, enters_etcd_until=turn, votes=votes)
        transaction.put_host(msgspec.structs.replace(host, join=join))
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


def enter_etcd(infra_env_id: str, host_id: str) -> Change:
    """The host may enter etcd, for `TURN`. Raises `Conflict` (`join-not-yet`) while another one enters."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if why := etcd_obstacle(host, transaction.records, transaction.now):
            raise Conflict(code="join-not-yet", title=why)
        assert host.join is not None
        until = transaction.now + TURN
        transaction.put_host(
            msgspec.structs.replace(host, join=msgspec.structs.replace(host.join, enters_etcd_until=until, votes=False))
        )
        words = f"Host {host.label}: may enter etcd until {until:%H:%M:%S} UTC"
        transaction.add_event("host_enters_etcd", words, host=host)

    return change


def record_vote(infra_env_id: str, host_id: str) -> Change:
    """The host votes in etcd. A repeat changes nothing."""

    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if host.join is None or host.join.votes:
            return
        transaction.put_host(msgspec.structs.replace(host, join=msgspec.structs.replace(host.join, votes=True)))
        transaction.add_event("host_votes_in_etcd", f"Host {host.label}: votes in etcd", host=host)

    return change
