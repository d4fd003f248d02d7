"""Runs steps concurrently, a bounded number of them for a bounded time, and turns every ending into a reply.

Done: exit code 0 and the output. Failed, expected and explained: 1 and the problem. Not understood: -1. A bug of ours:
70 and what it was. The medium cannot be read any more: 256. Cancelled, because the agent ends or node0 has stopped it:
no reply.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from agent.api.steps import MEDIA_DISCONNECTED, NOT_UNDERSTOOD, Step, StepReply
from agent.checks import medium
from agent.model.problems import Problem
from agent.steps.context import Context
from agent.steps.table import Row

log = logging.getLogger(__name__)

Answer = Callable[[StepReply], Awaitable[None]]

AT_ONCE = 4
FAILED = 1
BUG = 70  # EX_SOFTWARE of sysexits(3)


class Runner:
    """Starts steps as tasks of `tasks`; none whose type is still running, so that node0 may send a step again."""

    def __init__(self, tasks: asyncio.TaskGroup, table: Mapping[str, Row]) -> None:
        self._tasks = tasks
        self._table = table
        self._running: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    def start(self, step: Step, context: Context, answer: Answer) -> None:
        if step.step_type in self._running:
            log.info("%s: one is still running", step.step_id)
            return
        task = self._tasks.create_task(self._run(step, context, answer), name=step.step_id)
        self._running[step.step_type] = task
        task.add_done_callback(lambda _: self._running.pop(step.step_type, None))

    async def wait(self, seconds: float) -> None:
        """Return when every step has ended and is answered, or after `seconds`."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=seconds)

    async def stop(self, step_type: str) -> bool:
        """End the step of this type, and wait until it has ended; false when none is running."""
        task = self._running.get(step_type)
        if task is None or not task.cancel():
            return False
        await asyncio.wait({task})
        return True

    async def _run(self, step: Step, context: Context, answer: Answer) -> None:
        async with self._slots:
            reply = await perform(step, context, self._table)
        await answer(reply)


async def perform(step: Step, context: Context, table: Mapping[str, Row]) -> StepReply:
    """Run `step` to one of its endings."""
    row = table.get(step.step_type)
    if row is None:
        return _failed(step, NOT_UNDERSTOOD, f"unknown step {step.step_type!r}; known: {', '.join(table)}")
    if len(step.args) != row.arguments:
        return _failed(step, NOT_UNDERSTOOD, f"{step.step_type}: {row.arguments} argument(s) expected: {step.args}")
    if row.reads_medium and not await asyncio.to_thread(medium.is_readable, context.machine):
        return _failed(step, MEDIA_DISCONNECTED, "MediaDisconnected: the medium this host was booted from is gone")
    try:
        async with asyncio.timeout(row.timeout):
            output = await row.run(context, step)
    except msgspec.DecodeError as error:
        return _failed(step, NOT_UNDERSTOOD, f"{step.step_type}: bad argument: {error}")
    except TimeoutError:
        return _failed(step, FAILED, f"step-timeout: {step.step_type} did not end within {row.timeout:g} s")
    except Problem as problem:
        return _failed(step, FAILED, str(problem))
    except Exception as error:  # a bug in one step must not take the agent down
        log.exception("%s", step.step_id)
        return _failed(step, BUG, f"{step.step_type}: internal error: {type(error).__name__}: {error}")
    return StepReply(step_type=step.step_type, step_id=step.step_id, output=output)


def _failed(step: Step, exit_code: int, error: str) -> StepReply:
    log.error("%s: %s", step.step_id, error)
    return StepReply(step_type=step.step_type, step_id=step.step_id, exit_code=exit_code, error=error)
