"""Decisions of the driver or of a user about a host: role, name, disks, labels, approval. Each makes an event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from agent.api.hosts import DiskSelection, DiskSkipFormatting, HostUpdate, NodeLabel
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest, Conflict
from node0.store.records import HostRecord
from node0.validations.host.disks import disk_selection
from node0.validations.host.identity import hostname_valid

Value = TypeVar("Value")

_LABEL_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL_KEY = re.compile(rf"([a-z0-9]([-a-z0-9.]{{0,251}}[a-z0-9])?/)?{_LABEL_NAME}")
_LABEL_VALUE = re.compile(rf"({_LABEL_NAME})?")


def update_host(infra_env_id: str, host_id: str, request: HostUpdate) -> Change:
    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        updated = _updated(host, request)
        if updated == host:
            return
        if updated.approved and not host.bound:
            raise Conflict(code="host-is-unbound", title=f"Host {host.label} is unbound: it cannot be approved.")
        if not host.status.is_before_install:
            raise Conflict(
                code="host-not-changeable",
                title=f"Host {host.label} is {host.status}: role, name, disks, labels and approval cannot change.",
            )
        transaction.put_host(msgspec.structs.replace(updated, updated_at=transaction.now))
        _add_events(transaction, host, updated)

    return change


def _updated(host: HostRecord, request: HostUpdate) -> HostRecord:
    name = _given(request.host_name, host.requested_hostname)
    if name and (name in hostname_valid.FORBIDDEN or hostname_valid.PATTERN.fullmatch(name) is None):
        raise BadRequest(
            code="hostname-invalid", title=f"{name!r} is not a valid host name.", remedy=hostname_valid.REMEDY
        )
    return msgspec.structs.replace(
        host,
        role=_given(request.host_role, host.role),
        requested_hostname=name,
        approved=_given(request.approved, host.approved),
        requested_disk=_disk(request.disks_selected_config, host.requested_disk),
        root_device_hints=_given(request.root_device_hints, host.root_device_hints),
        untouched_disks=_untouched(request.disks_skip_formatting, host.untouched_disks),
        node_labels=host.node_labels if request.node_labels is msgspec.UNSET else _labels(request.node_labels),
    )


def _given(value: Value | msgspec.UnsetType, otherwise: Value) -> Value:
    return otherwise if isinstance(value, msgspec.UnsetType) else value


def _disk(selection: tuple[DiskSelection, ...] | msgspec.UnsetType, otherwise: str) -> str:
    """The requested disk. The validation `installation-disk` fails when no disk of the host has this name."""
    if isinstance(selection, msgspec.UnsetType):
        return otherwise
    requested = [disk.id for disk in selection if disk.role == "install"]
    if len(requested) > 1:
        raise Conflict(
            code="two-installation-disks", title=f"Only one disk can be installed to, not {', '.join(requested)}."
        )
    return requested[0] if requested else ""


def _untouched(request: tuple[DiskSkipFormatting, ...] | msgspec.UnsetType, before: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(request, msgspec.UnsetType):
        return before
    skipped = dict.fromkeys(before, True) | {disk.disk_id: disk.skip_formatting for disk in request}
    return tuple(name for name, is_skipped in skipped.items() if is_skipped)


def _labels(request: Iterable[NodeLabel]) -> dict[str, str]:
    """Kubernetes' own syntax: a label without it would make Kubernetes refuse the other labels of the node, too."""
    for label in request:
        if not _LABEL_KEY.fullmatch(label.key) or not _LABEL_VALUE.fullmatch(label.value):
            raise BadRequest(
                code="label-invalid",
                title=f"{label.key}={label.value} is not a label of Kubernetes.",
                remedy="Write a key like rack or example.com/rack, and at most 63 letters, digits, - _ and . as value.",
            )
    return {label.key: label.value for label in request}


def _add_events(transaction: Transaction, before: HostRecord, after: HostRecord) -> None:
    """The disk of the inputs comes with the approval and makes no event of its own; a later request does."""
    if after.hostname != before.hostname:
        transaction.add_event("host_name_updated", f"Host {before.label}: is called {after.label} now", host=after)
    if disk_selection.requested(after) != disk_selection.requested(before) and after.approved is before.approved:
        words = disk_selection.requested(after) or "the best that can be used"
        transaction.add_event(
            "host_installation_disk_updated", f"Host {after.label}: installation disk: {words}", host=after
        )
    if after.untouched_disks != before.untouched_disks:
        words = f"disks that are not formatted: {', '.join(after.untouched_disks) or 'none'}"
        transaction.add_event("host_skip_formatting_updated", f"Host {after.label}: {words}", host=after)
    if after.node_labels != before.node_labels:
        words = ", ".join(f"{key}={value}" for key, value in after.node_labels.items()) or "none"
        transaction.add_event(
            "host_node_labels_updated", f"Host {after.label}: labels of its node: {words}", host=after
        )
    if after.role is not before.role:
        transaction.add_event("host_role_updated", f"Host {after.label}: calculated role is {after.role}", host=after)
    if after.approved is not before.approved:
        words = "approved" if after.approved else "not approved any more"
        transaction.add_event("host_approved_updated", f"Host {after.label}: {words}", host=after)
