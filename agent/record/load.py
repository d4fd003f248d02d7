"""Reads a recorded machine from a file, which may come from a stranger: everything in it has bounds."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agent.model.inventory import too_many_addresses
from agent.model.problems import Problem
from agent.record.machine import SCHEMA, MachineRecord

MAX_BYTES = 8 << 20


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
    if excess := too_many_addresses(record.inventory.interfaces):
        raise _invalid(path, excess)
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


def _invalid(path: Path, why: str) -> Problem:
    return Problem(
        code="record-invalid",
        title=f"{path} is no recorded machine: {why}.",
        remedy="Record one on a live host: sudo cluster0-agent --record > machine.json",
    )
