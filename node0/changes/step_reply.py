"""A host's reply to a step: its result is stored as facts, and reconciling draws the conclusions."""

from __future__ import annotations

import msgspec

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.states import EventSeverity
from node0.changes.step_results import PARSERS, RESULTS_OF_FAILURE, words
from node0.reconcile.evaluate import fire_host, host_case
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest
from node0.state_machine.host import PREPARING, HostEvent
from node0.store.records import HostRecord
from node0.validations.engine.facts import HostFacts
from node0.validations.host.disks import sufficient_installation_disk_speed


def accept_reply(infra_env_id: str, host_id: str, reply: StepReply) -> Change:
    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if reply.exit_code != 0:
            _failed(transaction, host, reply)
        elif reply.step_type == StepType.STOP_INSTALLATION:
            _stopped(transaction, host)
        elif _needs_validation(host) and reply.step_type in PARSERS:
            _answered(transaction, host, reply)

    return change


def _needs_validation(host: HostRecord) -> bool:
    """Whether the host is still validated: until its install starts."""
    return host.status.is_before_install or host.status in PREPARING


def _answered(transaction: Transaction, host: HostRecord, reply: StepReply) -> None:
    parsed = _parsed(host, reply)
    transaction.put_host(parsed)
    if sufficient_installation_disk_speed.is_slow(parsed) and not sufficient_installation_disk_speed.is_slow(host):
        verdict = sufficient_installation_disk_speed.check(HostFacts(host=parsed, cluster=transaction.records.cluster))
        words = f"Host {host.label}: {verdict.message}"
        transaction.add_event("disk_speed_slower_than_supported", words, severity=EventSeverity.WARNING, host=host)


def _parsed(host: HostRecord, reply: StepReply) -> HostRecord:
    try:
        parsed = PARSERS[reply.step_type](host, reply.output)
    except ValueError as error:
        raise BadRequest(
            code="step-reply-invalid",
            title=f"Host {host.label}: the output of step {reply.step_type} cannot be read: {error}",
        ) from error
    return parsed if parsed.media_connected else msgspec.structs.replace(parsed, media_connected=True)


def _stopped(transaction: Transaction, host: HostRecord) -> None:
    if (
        moved := fire_host(HostEvent.STOPPED, host_case(host, transaction.records, transaction.timers), transaction.now)
    ) is not None:
        transaction.put_host(moved)


def _failed(transaction: Transaction, host: HostRecord, reply: StepReply) -> None:
    if reply.step_type == StepType.INSTALL:
        case = host_case(host, transaction.records, transaction.timers, reason=words(reply))
        if (failed := fire_host(HostEvent.FAILED, case, transaction.now)) is not None:
            transaction.put_host(failed)
        return
    if reply.exit_code == MEDIA_DISCONNECTED:
        _lose_medium(transaction, host)
        return
    if _needs_validation(host) and reply.step_type in RESULTS_OF_FAILURE:
        transaction.put_host(RESULTS_OF_FAILURE[reply.step_type](host, reply))
    message = f"Host {host.label}: step {reply.step_type} failed: {words(reply)}"
    transaction.add_event("host_step_failed", message, severity=EventSeverity.WARNING, host=host)


def _lose_medium(transaction: Transaction, host: HostRecord) -> None:
    """One event, although every step fails without the medium."""
    if host.media_connected:
        transaction.put_host(msgspec.structs.replace(host, media_connected=False))
        words = f"Host {host.label}: cannot read the medium that it was booted from"
        transaction.add_event("host_media_disconnected", words, severity=EventSeverity.ERROR, host=host)
