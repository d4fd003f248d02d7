"""Collects the logs of a host by SSH: runs the agent's `collect.sh` there. This works without node0's service."""

from __future__ import annotations

from agent.logs import COLLECT
from agent.model.problems import Problem
from client.gather.unpack import unpacked
from client.remote.ssh import Login, run_script

TIMEOUT_SECONDS = 300.0


async def collect(login: Login, addresses: tuple[str, ...], *, timeout: float = TIMEOUT_SECONDS) -> dict[str, bytes]:
    """The host's logs, path in the archive → content, from the first of its `addresses` that answers.

    `timeout`: seconds, for each address. If all addresses fail, raises the Problem of the last one: those of
    `run_script`, or `archive-damaged`. Raises Problem `host-address-unknown` without any address.
    """
    problem = Problem(code="host-address-unknown", title="No address of this host is known.")
    for address in addresses:
        try:
            return unpacked(await run_script(login, address, COLLECT.read_text(), timeout=timeout))
        except Problem as failed:
            problem = failed
    raise problem
