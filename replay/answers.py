"""What a host answers to the steps that node0 sends: as a recorded machine did, or as one with which all is well."""

from __future__ import annotations

from typing import TypedDict

import msgspec

from agent.api.checks import (
    ConnectivityReport,
    DiskSpeedReply,
    DiskSpeedRequest,
    DomainReply,
    ImagesReply,
    ImageStatus,
    L2Connectivity,
    L3Connectivity,
    Peer,
    RemoteHost,
    UserChecksReply,
    VipCheck,
)
from agent.api.steps import NtpReply, Step, StepType
from agent.model.inventory import Inventory
from agent.record.machine import MachineRecord


class HostPath(TypedDict):
    """The parameters of a host's operations."""

    infra_env_id: str
    host_id: str


def recorded_result(kind: str, record: MachineRecord) -> object | None:
    """The machine's result of a step that needs nothing but the machine; None: the record has none."""
    match kind:
        case StepType.INVENTORY:
            return record.inventory
        case StepType.NTP_SYNCHRONIZER:
            return NtpReply(ntp_sources=record.ntp_sources)
        case StepType.CONTAINER_IMAGE_AVAILABILITY if record.images:
            return ImagesReply(images=record.images)
        case _:
            return None


def recorded_answer(step: Step, record: MachineRecord) -> object:
    """As the machine answered; where the record has no result, as a host with which all is well."""
    found = recorded_result(step.step_type, record)
    return good_answer(step, record.inventory) if found is None else found


def good_answer(step: Step, machine: Inventory) -> object:
    """What a host with which all is well answers to `step`."""
    match step.step_type:
        case StepType.INVENTORY:
            return machine
        case StepType.CONNECTIVITY_CHECK:
            return good_report(msgspec.json.decode(step.args[0], type=list[Peer]))
        case StepType.INSTALLATION_DISK_SPEED_CHECK:
            request = msgspec.json.decode(step.args[0], type=DiskSpeedRequest)
            return DiskSpeedReply(path=request.path, io_sync_duration=2)
        case StepType.CONTAINER_IMAGE_AVAILABILITY:
            return ImagesReply(images=(ImageStatus(name="pause", result="success"),))
        case StepType.VERIFY_VIPS:
            vips = msgspec.json.decode(step.args[0], type=list[VipCheck])
            return [msgspec.structs.replace(vip, verification="succeeded") for vip in vips]
        case StepType.DOMAIN_RESOLUTION:
            return DomainReply()
        case StepType.NTP_SYNCHRONIZER:
            return NtpReply()
        case StepType.USER_CHECKS:
            return UserChecksReply()
        case _:
            return []


def good_report(peers: list[Peer]) -> ConnectivityReport:
    """Every address of every peer is reached in no time."""
    return ConnectivityReport(
        remote_hosts=tuple(
            RemoteHost(
                host_id=peer.host_id,
                l2_connectivity=tuple(
                    L2Connectivity(outgoing_nic="eth0", remote_ip_address=address, remote_mac=nic.mac, successful=True)
                    for nic in peer.nics
                    for address in nic.ip_addresses
                ),
                l3_connectivity=tuple(
                    L3Connectivity(outgoing_nic="eth0", remote_ip_address=address, successful=True, average_rtt_ms=0.3)
                    for nic in peer.nics
                    for address in nic.ip_addresses
                ),
            )
            for peer in peers
        )
    )
