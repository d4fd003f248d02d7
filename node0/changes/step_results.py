"""The output of each step, parsed into fields of the host's record. A parser raises ValueError for what it cannot
read."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address, ip_interface
from typing import Any

import msgspec

from agent.api.checks import (
    ConnectivityReport,
    DiskSpeedReply,
    DomainReply,
    FreeAddresses,
    ImagesReply,
    ImageStatus,
    UserChecksReply,
    UserVerdict,
    VipCheck,
)
from agent.api.steps import NOT_UNDERSTOOD, NtpReply, StepReply, StepType
from agent.model.bounds import shortened
from agent.model.inventory import Inventory, too_many_addresses
from agent.model.states import ValidationStatus
from node0.store.records import DiskSpeed, HostRecord
from node0.validations.host.disks import disk_selection

# The name that stands for the whole image store when the host could not read it.
IMAGE_STORE = "image store"

# Of a host's words for a failure: some lines of a console.
LONGEST_WORDS = 1000

Fields = dict[str, Any]
"""Name of a field of `HostRecord` → its value."""


def _inventory(output: str) -> Fields:
    inventory = msgspec.json.decode(output, type=Inventory)
    if excess := too_many_addresses(inventory.interfaces):
        raise ValueError(excess)
    for nic in inventory.interfaces:
        for address in nic.ipv4_addresses + nic.ipv6_addresses:
            ip_interface(address)
    return {"inventory": inventory}


def _ntp(output: str) -> Fields:
    return {"ntp_sources": msgspec.json.decode(output, type=NtpReply).ntp_sources}


def _connectivity(output: str) -> Fields:
    report = msgspec.json.decode(output, type=ConnectivityReport)
    unreachable = tuple(
        remote.host_id for remote in report.remote_hosts if not any(echo.successful for echo in remote.l3_connectivity)
    )
    return {"connectivity": report, "unreachable": unreachable}


def _resolutions(output: str) -> Fields:
    reply = msgspec.json.decode(output, type=DomainReply)
    for resolution in reply.resolutions:
        for address in resolution.ipv4_addresses + resolution.ipv6_addresses:
            ip_address(address)
    return {"resolutions": reply.resolutions}


def _free_addresses(output: str) -> Fields:
    return {"free_addresses": msgspec.json.decode(output, type=tuple[FreeAddresses, ...])}


def _vips(output: str) -> Fields:
    return {"vips": msgspec.json.decode(output, type=tuple[VipCheck, ...])}


def _images(output: str) -> Fields:
    """The output is empty while an earlier run of the step still works."""
    if not output.strip():
        return {}
    return {"images": msgspec.json.decode(output, type=ImagesReply).images}


def _no_images(host: HostRecord, reply: StepReply) -> HostRecord:
    return msgspec.structs.replace(
        host, images=(ImageStatus(name=f"{IMAGE_STORE} ({words(reply)})", result="failure"),)
    )


def _disk_speed(output: str) -> Fields:
    if not output.strip():
        return {}
    reply = msgspec.json.decode(output, type=DiskSpeedReply)
    return {"disk_speed": DiskSpeed(path=reply.path, reply=reply)}


def _no_disk_speed(host: HostRecord, reply: StepReply) -> HostRecord:
    disk = disk_selection.installation_disk(host)
    return msgspec.structs.replace(host, disk_speed=DiskSpeed(path=disk.path if disk else "", error=words(reply)))


def _user_checks(output: str) -> Fields:
    return {"user_checks": msgspec.json.decode(output, type=UserChecksReply).checks}


def _no_user_checks(host: HostRecord, reply: StepReply) -> HostRecord:
    """Only our agent knows the step; with another there are no checks."""
    if reply.exit_code == NOT_UNDERSTOOD:
        return msgspec.structs.replace(host, user_checks=())
    verdict = UserVerdict(id="all", status=ValidationStatus.ERROR, message=words(reply))
    return msgspec.structs.replace(host, user_checks=(verdict,))


def words(reply: StepReply) -> str:
    """The host's own words for what went wrong; people read them on a console."""
    return shortened(reply.error or reply.output or f"exit code {reply.exit_code}", LONGEST_WORDS)


PARSERS: dict[str, Callable[[str], Fields]] = {
    StepType.INVENTORY: _inventory,
    StepType.NTP_SYNCHRONIZER: _ntp,
    StepType.CONNECTIVITY_CHECK: _connectivity,
    StepType.DOMAIN_RESOLUTION: _resolutions,
    StepType.FREE_NETWORK_ADDRESSES: _free_addresses,
    StepType.VERIFY_VIPS: _vips,
    StepType.CONTAINER_IMAGE_AVAILABILITY: _images,
    StepType.INSTALLATION_DISK_SPEED_CHECK: _disk_speed,
    StepType.USER_CHECKS: _user_checks,
}

# The failure of these steps is a result, too.
RESULTS_OF_FAILURE: dict[str, Callable[[HostRecord, StepReply], HostRecord]] = {
    StepType.CONTAINER_IMAGE_AVAILABILITY: _no_images,
    StepType.INSTALLATION_DISK_SPEED_CHECK: _no_disk_speed,
    StepType.USER_CHECKS: _no_user_checks,
}
