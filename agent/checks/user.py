"""The user's own checks: every executable in `/etc/cluster0/checks.d`, where `create image` puts what is in `checks/`.

It gets a JSON document on its standard input, {"inventory": …, "cluster": …, "host": …}, and prints one: {"status":
"success" or "failure", "message": "…", "remedy": "…", "gates": true or false}. One that fails, prints something
else or takes too long is an error, which keeps the install from starting as a failure does.
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

# Characters of a message or remedy that fit into the reply.
TEXT_LIMIT = 4000


class _Result(msgspec.Struct, frozen=True):
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
    document = msgspec.json.encode({"inventory": inventory, "cluster": intent, "host": _host_intent(machine, intent)})
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> UserVerdict:
        async with slots:
            return await _run(machine, name, document)

    return tuple(await asyncio.gather(*(one(name) for name in names)))


def _host_intent(machine: Machine, intent: ClusterIntent) -> HostIntent | None:
    """This host in the inputs; None when they do not list it."""
    match = machine.files.load(HOST_FILE, HostMatch)
    return intent.hosts[match.index] if match is not None and 0 <= match.index < len(intent.hosts) else None


def _executables(machine: Machine) -> list[str]:
    paths = (machine.files.at(f"{DIRECTORY}/{name}") for name in machine.files.names(DIRECTORY))
    return [path.name for path in paths if path.is_file() and os.access(path, os.X_OK)]


async def _run(machine: Machine, name: str, document: bytes) -> UserVerdict:
    path = machine.files.at(f"{DIRECTORY}/{name}")
    try:
        ended = await machine.processes.run([str(path)], stdin=document, timeout=SECONDS)
        result = msgspec.json.decode(ended.stdout, type=_Result)
    except Problem as problem:
        return _error(name, str(problem))
    except msgspec.DecodeError as error:
        return _error(name, f"It did not print a result: {error}")
    return UserVerdict(
        id=name,
        status=ValidationStatus(result.status),
        message=result.message[:TEXT_LIMIT],
        remedy=result.remedy[:TEXT_LIMIT],
        gates=result.gates,
    )


def _error(name: str, why: str) -> UserVerdict:
    return UserVerdict(
        id=name,
        status=ValidationStatus.ERROR,
        message=f"The check {name} did not work: {why}"[:TEXT_LIMIT],
        remedy=f"Correct {DIRECTORY}/{name}, or ignore the validation user-{name}.",
    )
