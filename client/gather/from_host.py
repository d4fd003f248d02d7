"""From a host by SSH: the agent's `collect.sh` runs there and returns an archive. node0 is not needed."""

from __future__ import annotations

from agent.logs import COLLECT
from agent.model.problems import Problem
from client.gather.unpack import unpacked
from client.remote.ssh import Login, run_script

SECONDS = 300.0


async def collect(login: Login, addresses: tuple[str, ...], *, timeout: float = SECONDS) -> dict[str, bytes]:
    """Path → content, from the first address that answers. Problem: those of `run_script`, `archive-damaged`."""
    problem = Problem(code="host-address-unknown", title="No address of this host is known.")
    for address in addresses:
        try:
            return unpacked(await run_script(login, address, COLLECT.read_text(), timeout=timeout))
        except Problem as failed:
            problem = failed
    raise problem
