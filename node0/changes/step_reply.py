"""What a host answers to a step: its result is stored as facts, and settling draws the conclusions."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_interface

import msgspec

from agent.api.inventory import Inventory
from agent.api.states import Severity
from agent.api.steps import NtpReply, StepReply, StepType
from node0.conductor import Change, Draft, host_of
from node0.lifecycle.host import HostEvent
from node0.lifecycle.settle import fire_host, host_case
from node0.refusals import BadRequest
from node0.store.records import HostRecord


def accept_reply(infra_env_id: str, host_id: str, reply: StepReply) -> Change:
    def change(draft: Draft) -> None:
        host = host_of(draft.records, infra_env_id, host_id)
        if reply.exit_code != 0:
            _failed(draft, host, reply)
        elif host.status.is_before_install and reply.step_type in _PARSERS:
            try:
                draft.put_host(_PARSERS[reply.step_type](host, reply.output))
            except ValueError as error:
                raise BadRequest(
                    code="step-reply-invalid",
                    title=f"Host {host.label}: the output of step {reply.step_type} cannot be read: {error}",
                ) from error

    return change


def _inventory(host: HostRecord, output: str) -> HostRecord:
    inventory = msgspec.json.decode(output, type=Inventory)
    for nic in inventory.interfaces:
        for address in nic.ipv4_addresses + nic.ipv6_addresses:
            ip_interface(address)
    return msgspec.structs.replace(host, inventory=inventory)


def _ntp(host: HostRecord, output: str) -> HostRecord:
    return msgspec.structs.replace(host, ntp_sources=msgspec.json.decode(output, type=NtpReply).ntp_sources)


_PARSERS: dict[str, Callable[[HostRecord, str], HostRecord]] = {
    StepType.INVENTORY: _inventory,
    StepType.NTP_SYNCHRONIZER: _ntp,
}


def _failed(draft: Draft, host: HostRecord, reply: StepReply) -> None:
    words = reply.error or reply.output or f"exit code {reply.exit_code}"
    if reply.step_type == StepType.INSTALL:
        case = host_case(host, draft.records, draft.watches, reason=words)
        if (failed := fire_host(HostEvent.FAILED, case, draft.now)) is not None:
            draft.put_host(failed)
        return
    message = f"Host {host.label}: step {reply.step_type} failed: {words}"
    draft.tell("host_step_failed", message, severity=Severity.WARNING, host=host)
