"""The user's own checks: every executable in `/etc/cluster0/checks.d`.

It gets a JSON document on its standard input, {"inventory": …, "cluster": …}, and prints one: {"status": "success" or
"failure", "message": "…", "remedy": "…"}. One that ends badly, prints something else or takes too long is an error,
and an error keeps the install from starting as a failure does.
"""

from __future__ import annotations

import asyncio
import os

import msgspec

from agent.api.checks import UserVerdict
from agent.api.intent import ClusterIntent
from agent.api.problems import Problem
from agent.api.states import ValidationStatus
from agent.inventory.collect import collect
from agent.machine import Machine

DIRECTORY = "/etc/cluster0/checks.d"
AT_ONCE = 2
SECONDS = 30.0


class _Said(msgspec.Struct, frozen=True):
    status: ValidationStatus
    message: str
    remedy: str = ""


async def run_all(machine: Machine, intent: ClusterIntent) -> tuple[UserVerdict, ...]:
    """The verdict of each, in the order of their names."""
    names = _executables(machine)
    if not names:
        return ()
    inventory = await asyncio.to_thread(collect, machine)
    asked = msgspec.json.encode({"inventory": inventory, "cluster": intent})
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> UserVerdict:
        async with slots:
            return await _run(machine, name, asked)

    return tuple(await asyncio.gather(*(one(name) for name in names)))


def _executables(machine: Machine) -> list[str]:
    paths = (machine.files.at(f"{DIRECTORY}/{name}") for name in machine.files.names(DIRECTORY))
    return [path.name for path in paths if path.is_file() and os.access(path, os.X_OK)]


async def _run(machine: Machine, name: str, asked: bytes) -> UserVerdict:
    path = machine.files.at(f"{DIRECTORY}/{name}")
    try:
        ended = await machine.processes.run([str(path)], stdin=asked, timeout=SECONDS)
        said = msgspec.json.decode(ended.stdout, type=_Said)
    except Problem as problem:
        return _error(name, str(problem))
    except msgspec.DecodeError as error:
        return _error(name, f"It did not print a verdict: {error}")
    return UserVerdict(id=name, status=said.status, message=said.message, remedy=said.remedy)


def _error(name: str, words: str) -> UserVerdict:
    return UserVerdict(
        id=name,
        status=ValidationStatus.ERROR,
        message=f"The check {name} did not work: {words}",
        remedy=f"Correct {DIRECTORY}/{name}, or waive user-{name}.",
    )
