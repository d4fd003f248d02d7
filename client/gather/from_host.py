"""A host by SSH: the agent's `collect.sh` runs there and sends what it finds, whatever has become of node0."""

from __future__ import annotations

from agent.logs import COLLECT
from agent.model.problems import Problem
from client.gather.unpack import unpacked
from client.remote.ssh import Login, run_script

SECONDS = 300.0


async def collect(login: Login, addresses: tuple[str, ...], *, timeout: float = SECONDS) -> dict[str, bytes]:
    """Path → content, from the first address that answers. Problem: those of `run_script`, `archive-damaged`."""
    problem = Problem(code="host-address-unknown", title="Nobody knows an address of this host.")
    for address in addresses:
        try:
            return unpacked(await run_script(login, address, COLLECT.read_text(), timeout=timeout))
        except Problem as failed:
            problem = failed
    raise problem
