"""Step *installation-disk-speed-check*: how long synced writes to the chosen disk take.

The second argument, upstream's time limit for fio, is of no use here: the measurement takes five seconds at most.
"""

from __future__ import annotations

import asyncio
import threading

import msgspec

from agent.api.checks import DiskSpeedReply, DiskSpeedRequest
from agent.api.steps import Step
from agent.checks.disk_speed import measure
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    request = msgspec.json.decode(step.args[0], type=DiskSpeedRequest)
    stop = threading.Event()
    try:
        milliseconds = await asyncio.to_thread(measure, context.machine.files.at(request.path), stop)
    finally:
        stop.set()  # a thread cannot be cancelled; it ends after the next write
    return msgspec.json.encode(DiskSpeedReply(path=request.path, io_sync_duration=milliseconds)).decode()
