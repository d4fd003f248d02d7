"""What names resolve to on this host, by its own resolver as it is configured (getent(1))."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.api.checks import Domain, Resolution
from agent.machine import Machine, ProcessFailed

AT_ONCE = 4
SECONDS = 5.0


async def resolve(machine: Machine, domains: Sequence[Domain]) -> tuple[Resolution, ...]:
    """A name without an answer in time does not resolve."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> Resolution:
        async with slots:
            return await _resolve(machine, name)

    return tuple(await asyncio.gather(*(one(domain.domain_name) for domain in domains)))


async def _resolve(machine: Machine, name: str) -> Resolution:
    try:
        ended = await machine.processes.run(["getent", "ahosts", "--", name], timeout=SECONDS, check=False)
    except ProcessFailed:
        return Resolution(domain_name=name)
    found = parse(ended.stdout)
    return Resolution(
        domain_name=name,
        ipv4_addresses=tuple(address for address in found if ":" not in address),
        ipv6_addresses=tuple(address for address in found if ":" in address),
    )


def parse(output: str) -> tuple[str, ...]:
    """First words of the lines of `getent ahosts`, each once."""
    return tuple(dict.fromkeys(line.split()[0] for line in output.splitlines() if line.strip()))
