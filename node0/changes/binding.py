"""Unbinding keeps a host out of the cluster; binding lets it in again."""

from __future__ import annotations

import msgspec

from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.store.records import HostRecord


def bind_host(infra_env_id: str, host_id: str, cluster_id: str) -> Change:
    def change(transaction: Transaction) -> None:
        host = _changeable(transaction, infra_env_id, host_id)
        cluster = transaction.records.get_cluster(cluster_id)
        if host.bound:
            raise Conflict(code="host-is-bound", title=f"Host {host.label} is bound to {cluster.spec.name} already.")
        bound = msgspec.structs.replace(host, bound=True, updated_at=transaction.now)
        transaction.put_host(bound)
        transaction.add_event(
            "host_bind_succeeded", f"Host {host.label}: bound to cluster {cluster.spec.name}", host=bound
        )

    return change


def unbind_host(infra_env_id: str, host_id: str) -> Change:
    """The host's discovery goes on; its approval ends."""

    def change(transaction: Transaction) -> None:
        host = _changeable(transaction, infra_env_id, host_id)
        if not host.bound:
            raise Conflict(code="host-is-unbound", title=f"Host {host.label} is not bound to a cluster.")
        unbound = msgspec.structs.replace(host, bound=False, approved=False, updated_at=transaction.now)
        transaction.put_host(unbound)
        transaction.add_event("host_unbind_succeeded", f"Host {host.label}: unbound", host=unbound)

    return change


def _changeable(transaction: Transaction, infra_env_id: str, host_id: str) -> HostRecord:
    host = transaction.records.get_host(infra_env_id, host_id)
    if not host.status.is_before_install:
        raise Conflict(
            code="host-not-changeable", title=f"Host {host.label} is {host.status}: its binding cannot change."
        )
    return host
