"""The output of each step, parsed into the host's record. A parser raises ValueError for what it cannot read."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address, ip_interface
from typing import TypeVar

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
from agent.model.inventory import Inventory
from agent.model.states import ValidationStatus
from node0.store.interning import interned
from node0.store.records import DiskSpeed, HostRecord
from node0.validations.host.disks import disk_selection

# The name that stands for the whole image store when the host could not read it.
IMAGE_STORE = "image store"

Answer = TypeVar("Answer")


def _read(output: str, kind: type[Answer]) -> Answer:
    return interned(msgspec.json.decode(output, type=kind))


def _inventory(host: HostRecord, output: str) -> HostRecord:
    inventory = _read(output, Inventory)
    for nic in inventory.interfaces:
        for address in nic.ipv4_addresses + nic.ipv6_addresses:
            ip_interface(address)
    return msgspec.structs.replace(host, inventory=inventory)


def _ntp(host: HostRecord, output: str) -> HostRecord:
    return msgspec.structs.replace(host, ntp_sources=_read(output, NtpReply).ntp_sources)


def _connectivity(host: HostRecord, output: str) -> HostRecord:
    report = _read(output, ConnectivityReport)
    unreachable = tuple(
        remote.host_id for remote in report.remote_hosts if not any(echo.successful for echo in remote.l3_connectivity)
    )
    return msgspec.structs.replace(host, connectivity=report, unreachable=unreachable)


def _resolutions(host: HostRecord, output: str) -> HostRecord:
    reply = _read(output, DomainReply)
    for resolution in reply.resolutions:
        for address in resolution.ipv4_addresses + resolution.ipv6_addresses:
            ip_address(address)
    return msgspec.structs.replace(host, resolutions=reply.resolutions)


def _free_addresses(host: HostRecord, output: str) -> HostRecord:
    return msgspec.structs.replace(host, free_addresses=_read(output, tuple[FreeAddresses, ...]))


def _vips(host: HostRecord, output: str) -> HostRecord:
    return msgspec.structs.replace(host, vips=_read(output, tuple[VipCheck, ...]))


def _images(host: HostRecord, output: str) -> HostRecord:
    """The output is empty while an earlier run of the step still works."""
    if not output.strip():
        return host
    return msgspec.structs.replace(host, images=_read(output, ImagesReply).images)


def _no_images(host: HostRecord, reply: StepReply) -> HostRecord:
    return msgspec.structs.replace(
        host, images=(ImageStatus(name=f"{IMAGE_STORE} ({words(reply)})", result="failure"),)
    )


def _disk_speed(host: HostRecord, output: str) -> HostRecord:
    if not output.strip():
        return host
    reply = _read(output, DiskSpeedReply)
    return msgspec.structs.replace(host, disk_speed=DiskSpeed(path=reply.path, reply=reply))


def _no_disk_speed(host: HostRecord, reply: StepReply) -> HostRecord:
    disk = disk_selection.installation_disk(host)
    return msgspec.structs.replace(host, disk_speed=DiskSpeed(path=disk.path if disk else "", error=words(reply)))


def _user_checks(host: HostRecord, output: str) -> HostRecord:
    return msgspec.structs.replace(host, user_checks=_read(output, UserChecksReply).checks)


def _no_user_checks(host: HostRecord, reply: StepReply) -> HostRecord:
    """Only our agent knows the step; with another there are no checks."""
    if reply.exit_code == NOT_UNDERSTOOD:
        return msgspec.structs.replace(host, user_checks=())
    verdict = UserVerdict(id="all", status=ValidationStatus.ERROR, message=words(reply))
    return msgspec.structs.replace(host, user_checks=(verdict,))


def words(reply: StepReply) -> str:
    """The host's own words for what went wrong."""
    return reply.error or reply.output or f"exit code {reply.exit_code}"


PARSERS: dict[str, Callable[[HostRecord, str], HostRecord]] = {
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
