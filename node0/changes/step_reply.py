"""A host's reply to a step: its result is stored as facts, and reconciling draws the conclusions."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.states import EventSeverity
from node0.changes.step_results import PARSERS, RESULTS_OF_FAILURE, Fields, words
from node0.reconcile.evaluate import fire_host, host_case
from node0.reconcile.transaction import Change, Transaction, no_change
from node0.refusals import BadRequest
from node0.state_machine.host import PREPARING, HostEvent
from node0.store.interning import interned
from node0.store.records import HostRecord
from node0.validations.engine.facts import HostFacts
from node0.validations.host.disks import sufficient_installation_disk_speed


def accept_reply(host: HostRecord, reply: StepReply) -> Change:
    """`no_change` if the record of `host` has all of `reply` already. Raises `BadRequest` for what cannot be read."""
    if reply.exit_code != 0:
        return _on(host, lambda transaction, found: _failed(transaction, found, reply))
    if reply.step_type == StepType.STOP_INSTALLATION:
        return _on(host, _stopped)
    if not _needs_validation(host) or reply.step_type not in PARSERS:
        return no_change
    fields = {"media_connected": True, **_parsed(host, reply)}
    if all(getattr(host, name) == value for name, value in fields.items()):
        return no_change
    fields = {name: interned(value, known=getattr(host, name)) for name, value in fields.items()}
    return _on(host, lambda transaction, found: _answered(transaction, found, fields))


def _on(host: HostRecord, change: Callable[[Transaction, HostRecord], None]) -> Change:
    """`change` of the record that `host` has by then."""

    def changed(transaction: Transaction) -> None:
        change(transaction, transaction.records.get_host(host.infra_env_id, host.id))

    return changed


def _needs_validation(host: HostRecord) -> bool:
    """Whether the host is still validated: until its install starts."""
    return host.status.is_before_install or host.status in PREPARING


def _parsed(host: HostRecord, reply: StepReply) -> Fields:
    try:
        return PARSERS[reply.step_type](reply.output)
    except (ValueError, msgspec.DecodeError) as error:
        raise BadRequest(
            code="step-reply-invalid",
            title=f"Host {host.label}: the output of step {reply.step_type} cannot be read: {error}",
        ) from error


def _answered(transaction: Transaction, host: HostRecord, fields: Fields) -> None:
    if not _needs_validation(host):
        return
    parsed = msgspec.structs.replace(host, **fields)
    transaction.put_host(parsed)
    if sufficient_installation_disk_speed.is_slow(parsed) and not sufficient_installation_disk_speed.is_slow(host):
        verdict = sufficient_installation_disk_speed.check(HostFacts(host=parsed, cluster=transaction.records.cluster))
        words = f"Host {host.label}: {verdict.message}"
        transaction.add_event("disk_speed_slower_than_supported", words, severity=EventSeverity.WARNING, host=host)


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
