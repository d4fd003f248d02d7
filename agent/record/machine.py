"""One machine, recorded: the answers that need nothing but the machine itself, and what it sees around it."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta

from agent.api.checks import ConnectivityReport, ImageStatus
from agent.api.steps import NtpSource
from agent.api.timestamps import rfc3339
from agent.checks.images import images
from agent.checks.ntp import ntp_sources
from agent.install.probe import DiskContent, disk_content
from agent.inventory.collect import collect
from agent.inventory.host_id import read_host_id
from agent.machine import Machine
from agent.model.host_documents import ImageVersion
from agent.model.host_paths import RELEASE_FILE
from agent.model.inventory import Inventory
from agent.model.problems import Problem
from agent.record.network import NetworkState, network_state
from agent.record.peers import RecordedPeer, connectivity_to, recorded_peers

SCHEMA = 1


class MachineRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`cluster0-agent --record` prints one; replay/machines/ has some.

    notes: what is recorded and what was made from it, in words. recorded_at: RFC 3339. version: of the agent's image.
    masked: whether serial numbers and secrets were replaced, see `agent.record.mask`.
    ntp_sources, images: empty also where chronyd or the image store did not answer.
    network, contents: None in records of earlier releases. contents: what is on each disk that could be read.
    peers: the other hosts that were looked for; connectivity: what they looked like, None where they were not.
    """

    schema: int = SCHEMA
    notes: tuple[str, ...] = ()
    recorded_at: str
    version: str = ""
    masked: bool = False
    host_id: str
    inventory: Inventory
    ntp_sources: tuple[NtpSource, ...] = ()
    images: tuple[ImageStatus, ...] = ()
    network: NetworkState | None = None
    contents: Annotated[tuple[DiskContent, ...], Meta(max_length=1024)] | None = None
    peers: Annotated[tuple[RecordedPeer, ...], Meta(max_length=2048)] = ()
    connectivity: ConnectivityReport | None = None


async def record(machine: Machine) -> MachineRecord:
    """This host as it is now. Changes nothing: no time source is added, disks are only read.

    Takes some seconds where the inputs list other hosts, which are looked for as for node0.
    """
    inventory = await asyncio.to_thread(collect, machine)
    peers = await asyncio.to_thread(recorded_peers, machine)
    return MachineRecord(
        notes=("Recorded as it is from a live host.",),
        recorded_at=rfc3339(machine.clock.now()),
        version=(machine.files.load(RELEASE_FILE, ImageVersion) or ImageVersion()).version,
        host_id=await asyncio.to_thread(read_host_id, machine),
        inventory=inventory,
        ntp_sources=await _ntp_sources(machine),
        images=await asyncio.to_thread(_images, machine),
        network=await network_state(machine),
        contents=await _contents(machine, inventory),
        peers=peers,
        connectivity=await connectivity_to(machine, peers),
    )


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


async def _contents(machine: Machine, inventory: Inventory) -> tuple[DiskContent, ...]:
    """Without the disks that do not answer: an empty drive, a disk that has just failed."""
    found = []
    for disk in inventory.disks:
        try:
            found.append(await disk_content(machine, disk.path))
        except Problem:
            continue
    return tuple(found)
