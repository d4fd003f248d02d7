"""One machine, recorded: the answers that need nothing but the machine itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from agent.api.checks import ImageStatus
from agent.api.steps import NtpSource
from agent.api.timestamps import rfc3339
from agent.checks.images import images
from agent.checks.ntp import ntp_sources
from agent.inventory.collect import collect
from agent.inventory.host_id import read_host_id
from agent.machine import Machine
from agent.model.host_documents import ImageVersion
from agent.model.host_paths import RELEASE_FILE
from agent.model.inventory import Inventory
from agent.model.problems import Problem


class MachineRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`cluster0-agent --record` prints one; replay/machines/ has some.

    notes: what is recorded and what was made from it, in words. recorded_at: RFC 3339. version: of the agent's image.
    masked: whether serial numbers and secrets were replaced, see `agent.record.mask`.
    ntp_sources, images: empty also where chronyd or the image store did not answer.
    """

    schema: int = 1
    notes: tuple[str, ...] = ()
    recorded_at: str
    version: str = ""
    masked: bool = False
    host_id: str
    inventory: Inventory
    ntp_sources: tuple[NtpSource, ...] = ()
    images: tuple[ImageStatus, ...] = ()


async def record(machine: Machine) -> MachineRecord:
    """This host as it is now. Changes nothing: no time source is added."""
    return MachineRecord(
        notes=("Recorded as it is from a live host.",),
        recorded_at=rfc3339(machine.clock.now()),
        version=(machine.files.load(RELEASE_FILE, ImageVersion) or ImageVersion()).version,
        host_id=await asyncio.to_thread(read_host_id, machine),
        inventory=await asyncio.to_thread(collect, machine),
        ntp_sources=await _ntp_sources(machine),
        images=await asyncio.to_thread(_images, machine),
    )


def load(path: Path) -> MachineRecord:
    """A recorded file. Raises what msgspec raises where it is none."""
    return msgspec.json.decode(path.read_bytes(), type=MachineRecord)


async def _ntp_sources(machine: Machine) -> tuple[NtpSource, ...]:
    try:
        return await ntp_sources(machine, ())
    except Problem:
        return ()


def _images(machine: Machine) -> tuple[ImageStatus, ...]:
    try:
        return images(machine)
    except OSError:
        return ()
