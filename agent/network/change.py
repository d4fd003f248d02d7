"""A change of the live network that undoes itself where it loses node0.

NetworkManager keeps a checkpoint of the network as it was, dropped only when node0 still answers after the change;
otherwise, or when this program ends in between (a lost SSH session), NetworkManager goes back to it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from agent.api.operations import PORT
from agent.machine import Machine, libnmstate
from agent.machine.networkmanager import NetworkManager
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.network.connections import connections
from agent.network.dbus_settings import settings
from agent.network.verify import verify

log = logging.getLogger(__name__)

SECONDS_FOR_AN_ANSWER = 5.0
PAUSE_SECONDS = 0.5
SPARE_SECONDS = 15  # between our own deadline and NetworkManager's

Change = Callable[[NetworkManager], Awaitable[None]]


async def run_command(machine: Machine, argv: Sequence[str], *, timeout: float, port: int = PORT) -> None:
    """Run `argv`, such as an nmcli command, and keep the change if node0 answers within `timeout` seconds after it.

    Raises Problem `network-change-undone`, or what the command itself raised; the old network is back then.
    """

    async def change(_: NetworkManager) -> None:
        await machine.processes.run(argv, timeout=timeout)

    await _guarded(machine, _intent(machine), change, timeout=timeout, port=port)


async def apply_inputs(machine: Machine, *, timeout: float, port: int = PORT) -> None:
    """Restore the network of the inputs, over later edits; guarded as `run_command` is."""
    intent, match = _intent(machine), machine.files.load(HOST_FILE, HostMatch)
    if match is None or match.index < 0:
        raise Problem(code="host-unknown", title="It is not known which host of the inputs this machine is.")
    host = intent.hosts[match.index]
    made = connections(host.network, cluster_id=intent.cluster_id, hostname=host.hostname, names=match.names)

    async def change(manager: NetworkManager) -> None:
        await manager.apply({connection.uuid: settings(connection) for connection in made})
        report = await verify(machine, timeout=timeout)
        if report.problems:
            raise Problem.from_report(report.problems[0])

    await _guarded(machine, intent, change, timeout=timeout, port=port)


async def apply_state(machine: Machine, state: dict[str, Any], *, timeout: float, port: int = PORT) -> None:
    """Merge `state`, a document in NMState, into the network, verified by libnmstate; guarded as `run_command` is.

    Raises Problem `network-change-refused`, too.
    """
    intent = _intent(machine)
    await _require_node0(machine, intent, port)
    checkpoint = await asyncio.to_thread(libnmstate.apply, state, seconds=_seconds_to_undo(timeout))
    async with NetworkManager() as manager, _undone_without_node0(machine, manager, checkpoint, intent, timeout, port):
        log.info("the network is as in the document; checking whether node0 still answers")


async def _guarded(machine: Machine, intent: ClusterIntent, change: Change, *, timeout: float, port: int) -> None:
    await _require_node0(machine, intent, port)
    async with NetworkManager() as manager:
        checkpoint = await manager.checkpoint(_seconds_to_undo(timeout))
        async with _undone_without_node0(machine, manager, checkpoint, intent, timeout, port):
            await change(manager)


def _seconds_to_undo(timeout: float) -> int:
    """After which NetworkManager goes back by itself, where this program has ended."""
    return round(2 * timeout) + SPARE_SECONDS


async def _require_node0(machine: Machine, intent: ClusterIntent, port: int) -> None:
    if not await _answers(machine, intent.rendezvous_ip, port, SECONDS_FOR_AN_ANSWER):
        raise Problem(
            code="node0-unreachable",
            title=f"node0 at {intent.rendezvous_ip} does not answer, so nothing would show whether a change is good.",
            remedy="Change the network without this guard: nmcli connection modify …; nmcli connection up …",
        )


@asynccontextmanager
async def _undone_without_node0(
    machine: Machine, manager: NetworkManager, checkpoint: str, intent: ClusterIntent, timeout: float, port: int
) -> AsyncIterator[None]:
    """Keeps the change that has been made when the block ends, if node0 answers then; goes back otherwise."""
    try:
        yield
        if not await _answers(machine, intent.rendezvous_ip, port, timeout):
            raise Problem(
                code="network-change-undone",
                title=f"node0 at {intent.rendezvous_ip} did not answer after the change; the old network is back.",
            )
    except BaseException:
        await manager.roll_back(checkpoint)
        log.warning("the network is what it was before")
        raise
    await manager.keep(checkpoint)


async def _answers(machine: Machine, address: str, port: int, seconds: float) -> bool:
    """Repeated: an address that has just been set is not up at once."""
    deadline = machine.clock.monotonic() + seconds
    while not await machine.packets.gets_through(address, port, seconds=SECONDS_FOR_AN_ANSWER):
        if machine.clock.monotonic() > deadline:
            return False
        await machine.clock.sleep(PAUSE_SECONDS)
    return True


def _intent(machine: Machine) -> ClusterIntent:
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    if intent is None:
        raise Problem(code="unconfigured", title="No cluster in this image, so there is no node0.")
    return intent
