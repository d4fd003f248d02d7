"""A host is kept out of the cluster, or let in again."""

from __future__ import annotations

import msgspec

from node0.reconcile.state_manager import Change, Draft, cluster_of, host_of
from node0.refusals import Conflict
from node0.store.records import HostRecord


def bind_host(infra_env_id: str, host_id: str, cluster_id: str) -> Change:
    def change(draft: Draft) -> None:
        host = _changeable(draft, infra_env_id, host_id)
        cluster = cluster_of(draft.records, cluster_id)
        if host.bound:
            raise Conflict(code="host-is-bound", title=f"Host {host.label} is bound to {cluster.asked.name} already.")
        bound = msgspec.structs.replace(host, bound=True, updated_at=draft.now)
        draft.put_host(bound)
        draft.tell("host_bind_succeeded", f"Host {host.label}: bound to cluster {cluster.asked.name}", host=bound)

    return change


def unbind_host(infra_env_id: str, host_id: str) -> Change:
    """It goes on to be discovered; its approval ends with the binding."""

    def change(draft: Draft) -> None:
        host = _changeable(draft, infra_env_id, host_id)
        if not host.bound:
            raise Conflict(code="host-is-unbound", title=f"Host {host.label} is not bound to a cluster.")
        unbound = msgspec.structs.replace(host, bound=False, approved=False, updated_at=draft.now)
        draft.put_host(unbound)
        draft.tell("host_unbind_succeeded", f"Host {host.label}: unbound", host=unbound)

    return change


def _changeable(draft: Draft, infra_env_id: str, host_id: str) -> HostRecord:
    host = host_of(draft.records, infra_env_id, host_id)
    if not host.status.is_before_install:
        raise Conflict(code="host-not-changeable", title=f"Host {host.label} is {host.status}: it stays where it is.")
    return host
