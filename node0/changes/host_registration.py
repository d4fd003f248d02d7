"""A host registers, for the first time or again."""

from __future__ import annotations

import uuid
from datetime import datetime

import msgspec

from agent.api.hosts import HostRegister
from agent.model.states import HostStatus
from node0.changes.reset import without_reports
from node0.reconcile.evaluate import fire_host, host_case
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest, Conflict, NotFound
from node0.state_machine.cluster import BEFORE, FAILED
from node0.state_machine.host import HAS_CONTROL_PLANE, HostEvent
from node0.store.records import HostRecord
from node0.validations.host.hardware import no_boot_loop

# Every machine with the ISO can register. So the number of hosts is limited, as is what is stored for each.
MAX_HOSTS = 2000


def register_host(infra_env_id: str, request: HostRegister, *, token_id: str) -> Change:
    """`token_id`: of the token that the host gets. Its other tokens are refused from now on.

    Once its install has started, the host keeps the token that it has: that is on its disk already.
    """

    def change(transaction: Transaction) -> None:
        _check(transaction, infra_env_id, request)
        transaction.timers.checked_in(request.host_id)
        known = transaction.records.hosts.get(request.host_id)
        host = _new(transaction, infra_env_id, request) if known is None else _again(transaction, known, request)
        host = msgspec.structs.replace(
            host,
            boot_id=request.boot_id,
            registered_name=request.hostname,
            starts=_starts(transaction, known, request),
            discovery_agent_version=request.discovery_agent_version,
            token_id=token_id if host.status.is_before_install else host.token_id,
        )
        transaction.put_host(host)
        transaction.add_event("host_registration_succeeded", f"Host {host.label}: Successfully registered", host=host)

    return change


def _check(transaction: Transaction, infra_env_id: str, request: HostRegister) -> None:
    infra_env = transaction.records.infra_env
    if infra_env is None or infra_env.id != infra_env_id:
        raise NotFound(
            code="infra-env-unknown",
            title=f"There is no infra-env {infra_env_id} yet.",
            remedy="The driver on node0 registers it first; register again in a moment.",
        )
    try:
        uuid.UUID(request.host_id)
    except ValueError:
        raise BadRequest(code="host-id-invalid", title=f"host_id {request.host_id!r} is not a UUID.") from None


def _new(transaction: Transaction, infra_env_id: str, request: HostRegister) -> HostRecord:
    cluster = transaction.records.cluster
    if len(transaction.records.hosts) >= MAX_HOSTS:
        raise Conflict(
            code="too-many-hosts", title=f"{MAX_HOSTS} hosts are registered; host {request.host_id} is one too many."
        )
    if cluster is not None and cluster.status in FAILED:
        raise Conflict(
            code="cluster-takes-no-hosts",
            title=f"The cluster is {cluster.status} and takes no new hosts; host {request.host_id} is too late.",
        )
    return HostRecord(
        id=request.host_id,
        infra_env_id=infra_env_id,
        status=HostStatus.DISCOVERING,
        status_info="Waiting for the host's inventory.",
        status_updated_at=transaction.now,
        created_at=transaction.now,
        registered_at=transaction.now,
        updated_at=transaction.now,
        late=cluster is not None and cluster.status not in BEFORE,
    )


def _starts(transaction: Transaction, known: HostRecord | None, request: HostRegister) -> tuple[datetime, ...]:
    before = known.starts if known else ()
    if not request.boot_id or (known and known.boot_id == request.boot_id):
        return before
    return (*before, transaction.now)[-no_boot_loop.STARTS :]


def _again(transaction: Transaction, known: HostRecord, request: HostRegister) -> HostRecord:
    is_same_boot = bool(request.boot_id) and request.boot_id == known.boot_id
    case = host_case(known, transaction.records, transaction.timers, is_same_boot=is_same_boot)
    moved = fire_host(HostEvent.REGISTERED, case, transaction.now)
    if moved is None:
        raise Conflict(
            code="host-installed",
            title=f"Host {known.label} is {known.status}: it does not take part in an install any more.",
            remedy="Boot it from its disk.",
        )
    if moved.status is HostStatus.INSTALLING:
        late = moved.late or case.cluster_is(*HAS_CONTROL_PLANE)
        return msgspec.structs.replace(moved, registered_at=transaction.now, stage=None, join=None, late=late)
    if moved.status is not HostStatus.DISCOVERING or (is_same_boot and known.status is HostStatus.DISCOVERING):
        return msgspec.structs.replace(_to_be_measured_again(moved), registered_at=transaction.now)
    return msgspec.structs.replace(without_reports(moved), registered_at=transaction.now)


def _to_be_measured_again(host: HostRecord) -> HostRecord:
    """Without a measurement of its disk that failed: no step repeats that, because it writes to the disk."""
    if host.disk_speed is None or not host.disk_speed.error:
        return host
    return msgspec.structs.replace(host, disk_speed=None)
