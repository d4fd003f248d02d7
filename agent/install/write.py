"""Copies kernel, initramfs and root image into the boot partition's slot, verified, and reports the percentage."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath

from agent.install.copy import copy_verified
from agent.install.layout import MIB, SLOT
from agent.install.medium import COPIED, Medium
from agent.machine import Clock, Machine
from agent.model.host_paths import MEDIUM_MOUNT
from agent.model.problems import Problem
from agent.model.states import Stage

Report = Callable[[Stage, str], Awaitable[None]]

SECONDS_BETWEEN_REPORTS = 2.0


async def write_image(machine: Machine, medium: Medium, boot: Path, report: Report) -> None:
    """`boot`: the mounted boot partition. Raises Problem: `image-too-large`, and those of `copy_verified`."""
    free = shutil.disk_usage(boot).free
    if medium.total > free:
        raise Problem(
            code="image-too-large",
            title=f"The image takes {medium.total // MIB} MiB, the boot partition has {free // MIB} MiB free.",
            remedy="Use the ISO of a release whose image fits, or fewer extra images in its payload.",
        )
    slot = boot / SLOT
    for directory in (slot, slot.with_name("b")):
        await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    async with _percentage(medium.total, report, machine.clock) as copied:
        for path in COPIED:
            source, target = machine.files.at(MEDIUM_MOUNT) / path, slot / PurePosixPath(path).name
            await _copy(source, target, medium.files[path].sha256, copied)


class _Stopped(Exception):
    """The copy was cancelled."""


async def _copy(source: Path, target: Path, sha256: str, copied: Callable[[int], None]) -> None:
    """In a thread. Cancelled, it ends when that thread has let go of the disk: a chunk later."""
    stopped = threading.Event()

    def count(size: int) -> None:
        if stopped.is_set():
            raise _Stopped
        copied(size)

    work = asyncio.ensure_future(asyncio.to_thread(copy_verified, source, target, sha256=sha256, copied=count))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        stopped.set()
        await asyncio.wait({work})
        work.exception()  # seen, or asyncio would log it
        raise


@asynccontextmanager
async def _percentage(total: int, report: Report, clock: Clock) -> AsyncIterator[Callable[[int], None]]:
    """Yields a function for any thread to count copied bytes; the percentage is reported every 2 s."""
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()
    done = 0

    def copied(size: int) -> None:
        nonlocal done
        done += size
        loop.call_soon_threadsafe(changed.set)

    async def report_percentage() -> None:
        while True:
            await report(Stage.WRITING_IMAGE, f"{done * 100 // total}%")
            await clock.sleep(SECONDS_BETWEEN_REPORTS)
            changed.clear()
            await changed.wait()

    task = asyncio.create_task(report_percentage(), name="report the percentage written")
    try:
        yield copied
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await report(Stage.WRITING_IMAGE, "100%")
