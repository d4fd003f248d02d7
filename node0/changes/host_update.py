"""What the driver or a user decides about a host: role, name, disk, approval."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from agent.api.resources import DiskSelection, HostUpdate
from node0.conductor import Change, Draft, host_of
from node0.refusals import BadRequest, Conflict
from node0.store.records import HostRecord
from node0.validations import hostname_valid

Value = TypeVar("Value")


def update_host(infra_env_id: str, host_id: str, asked: HostUpdate) -> Change:
    def change(draft: Draft) -> None:
        host = host_of(draft.records, infra_env_id, host_id)
        updated = _updated(host, asked)
        if updated == host:
            return
        if updated.approved and not host.bound:
            raise Conflict(code="host-is-unbound", title=f"Host {host.label} is unbound: it cannot be approved.")
        if not host.status.is_before_install:
            raise Conflict(
                code="host-not-changeable",
                title=f"Host {host.label} is {host.status}: role, name, disk and approval are settled.",
            )
        draft.put_host(msgspec.structs.replace(updated, updated_at=draft.now))
        _tell(draft, host, updated)

    return change


def _updated(host: HostRecord, asked: HostUpdate) -> HostRecord:
    name = _given(asked.host_name, host.requested_hostname)
    if name and (name in hostname_valid.FORBIDDEN or hostname_valid.PATTERN.fullmatch(name) is None):
        raise BadRequest(
            code="hostname-invalid", title=f"{name!r} is not a valid host name.", remedy=hostname_valid.REMEDY
        )
    return msgspec.structs.replace(
        host,
        role=_given(asked.host_role, host.role),
        requested_hostname=name,
        approved=_given(asked.approved, host.approved),
        requested_disk=_disk(asked.disks_selected_config, host.requested_disk),
        root_device_hints=_given(asked.root_device_hints, host.root_device_hints),
    )


def _given(value: Value | msgspec.UnsetType, otherwise: Value) -> Value:
    return otherwise if isinstance(value, msgspec.UnsetType) else value


def _disk(selection: tuple[DiskSelection, ...] | msgspec.UnsetType, otherwise: str) -> str:
    """A wish, not checked here: the validation `installation-disk` tells when no disk answers to it."""
    if isinstance(selection, msgspec.UnsetType):
        return otherwise
    wishes = [disk.id for disk in selection if disk.role == "install"]
    if len(wishes) > 1:
        raise Conflict(
            code="two-installation-disks", title=f"Only one disk can be installed to, not {', '.join(wishes)}."
        )
    return wishes[0] if wishes else ""


def _tell(draft: Draft, before: HostRecord, after: HostRecord) -> None:
    if after.role is not before.role:
        draft.tell("host_role_updated", f"Host {after.label}: calculated role is {after.role}", host=after)
    if after.approved is not before.approved:
        words = "approved" if after.approved else "not approved any more"
        draft.tell("host_approved_updated", f"Host {after.label}: {words}", host=after)
