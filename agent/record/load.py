"""Reads a recorded machine from a file, which may come from a stranger: every number of things in it has a limit."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agent.model.problems import Problem
from agent.record.machine import SCHEMA, MachineRecord

MAX_BYTES = 8 << 20
MAX_DISKS, MAX_INTERFACES, MAX_ADDRESSES, MAX_PEERS = 4096, 1024, 1024, 1024
"""More than a host has. Some validations compare each address with each."""


def load(path: Path) -> MachineRecord:
    """The recorded machine in the file. Problem: `record-unreadable`, `record-invalid`, `record-too-new`."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Problem(
            code="record-unreadable",
            title=f"{path} cannot be read: {error.strerror}.",
            remedy="Name the file to which `cluster0-agent --record` was written.",
        ) from error
    if len(content) > MAX_BYTES:
        raise _invalid(path, f"it has more than {MAX_BYTES >> 20} MiB")
    record = _decoded(path, content)
    if excess := _excess(record):
        raise _invalid(path, f"it has more than {excess}")
    return record


class _Schema(msgspec.Struct):
    schema: int = SCHEMA


def _decoded(path: Path, content: bytes) -> MachineRecord:
    try:
        schema = msgspec.json.decode(content, type=_Schema).schema
        if schema <= SCHEMA:
            return msgspec.json.decode(content, type=MachineRecord)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _invalid(path, str(error)) from error
    raise Problem(
        code="record-too-new",
        title=f"{path} has schema {schema}; this release of cluster0 reads up to {SCHEMA}.",
        remedy="Use the release of cluster0 that recorded it.",
    )


def _excess(record: MachineRecord) -> str:
    """What there is too much of, as "1024 interfaces"; empty: nothing."""
    nics = record.inventory.interfaces
    counts = (
        ("disks", len(record.inventory.disks), MAX_DISKS),
        ("disks", len(record.contents or ()), MAX_DISKS),
        ("interfaces", len(nics), MAX_INTERFACES),
        ("addresses", sum(len(nic.ipv4_addresses) + len(nic.ipv6_addresses) for nic in nics), MAX_ADDRESSES),
        ("other hosts", len(record.peers), MAX_PEERS),
    )
    return next((f"{most} {what}" for what, count, most in counts if count > most), "")


def _invalid(path: Path, why: str) -> Problem:
    return Problem(
        code="record-invalid",
        title=f"{path} is no recorded machine: {why}.",
        remedy="Record one on a live host: sudo cluster0-agent --record > machine.json",
    )
