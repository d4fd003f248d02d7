"""The disk of an installed host while it joins. One that is full or fails is named and awaited: the host goes on from
where it is, after a restart, too, so the join has not failed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from agent.machine import Machine
from agent.machine.disk_errors import CODES, named_disk_errors
from agent.model.problems import Problem
from agent.status import StatusBoard

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 5.0
_WHAT = "The host cannot join, because its disk cannot be written"
_THEN = "Then restart this host: it goes on from its disk. A disk that was replaced needs the ISO again."
# Written and synced at each look: more than a file system keeps inside an inode.
_TRIAL_FILE, _TRIAL = "/var/lib/cluster0/disk-trial", bytes(64 << 10)


async def on_its_disk(
    machine: Machine, board: StatusBoard, say: Callable[[str], Awaitable[None]], work: Callable[[], Awaitable[None]]
) -> None:
    """Do `work`. When the disk fails meanwhile, cancel it, and do it again once the disk takes writes.

    `say`: called with what the host waits for. Raises the Problem of work that failed although the disk takes writes.
    """
    while True:
        try:
            with named_disk_errors(_WHAT, then=_THEN):
                return await _while_it_works(machine, work)
        except Problem as problem:
            cause = problem if problem.code in CODES else await asyncio.to_thread(_failure, machine)
            if cause is None:
                raise
            log.error("%s", problem)
        board.update(problems=(cause.report(),))
        await say(f"{cause.code}: {cause.title}")
        while await asyncio.to_thread(_failure, machine) is not None:
            await machine.clock.sleep(SECONDS_BETWEEN_LOOKS)
        board.update(problems=())


async def _while_it_works(machine: Machine, work: Callable[[], Awaitable[None]]) -> None:
    """`work`, until the disk fails: kubeadm and the kubelet would wait minutes for what cannot come any more."""
    working, failing = asyncio.ensure_future(work()), asyncio.create_task(_next_failure(machine))
    try:
        await asyncio.wait({working, failing}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise failing.result()
        working.result()
    finally:
        for task in (working, failing):
            task.cancel()
        await asyncio.gather(working, failing, return_exceptions=True)


async def _next_failure(machine: Machine) -> Problem:
    while (failure := await asyncio.to_thread(_failure, machine)) is None:
        await machine.clock.sleep(SECONDS_BETWEEN_LOOKS)
    return failure


def _failure(machine: Machine) -> Problem | None:
    """Why the disk takes no writes; None: it does."""
    try:
        with named_disk_errors(_WHAT, then=_THEN):
            machine.files.write(_TRIAL_FILE, _TRIAL).unlink(missing_ok=True)  # a look that was cancelled may end later
    except Problem as problem:
        return problem
    return None
