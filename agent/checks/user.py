"""The user's own checks: every executable in `/etc/cluster0/checks.d`, where `create image` puts what is in `checks/`.

It gets a JSON document on its standard input, {"inventory": …, "cluster": …, "host": …}, and prints one: {"status":
"success" or "failure", "message": "…", "remedy": "…", "gates": true or false}. One that ends badly, prints something
else or takes too long is an error, and an error keeps the install from starting as a failure does.
"""

from __future__ import annotations

import asyncio
import os
from typing import Literal

import msgspec

from agent.api.checks import UserVerdict
from agent.inventory.collect import collect
from agent.machine import Machine
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE
from agent.model.host_paths import USER_CHECKS_DIRECTORY as DIRECTORY
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.problems import Problem
from agent.model.states import ValidationStatus

AT_ONCE = 2
SECONDS = 30.0

# A reply has room for so many words of each.
WORDS = 4000


class _Said(msgspec.Struct, frozen=True):
    status: Literal["success", "failure"]
    message: str
    remedy: str = ""
    gates: bool = True


async def run_all(machine: Machine, intent: ClusterIntent) -> tuple[UserVerdict, ...]:
    """The verdict of each, in the order of their names."""
    names = _executables(machine)
    if not names:
        return ()
    inventory = await asyncio.to_thread(collect, machine)
    asked = msgspec.json.encode({"inventory": inventory, "cluster": intent, "host": _wanted(machine, intent)})
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> UserVerdict:
        async with slots:
            return await _run(machine, name, asked)

    return tuple(await asyncio.gather(*(one(name) for name in names)))


def _wanted(machine: Machine, intent: ClusterIntent) -> HostIntent | None:
    """What the inputs say of this very host; None when they list it not."""
    match = machine.files.load(HOST_FILE, HostMatch)
    return intent.hosts[match.index] if match is not None and 0 <= match.index < len(intent.hosts) else None


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
    return UserVerdict(
        id=name,
        status=ValidationStatus(said.status),
        message=said.message[:WORDS],
        remedy=said.remedy[:WORDS],
        gates=said.gates,
    )


def _error(name: str, words: str) -> UserVerdict:
    return UserVerdict(
        id=name,
        status=ValidationStatus.ERROR,
        message=f"The check {name} did not work: {words}"[:WORDS],
        remedy=f"Correct {DIRECTORY}/{name}, or waive user-{name}.",
    )
