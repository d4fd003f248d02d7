"""Registers this host with node0; repeated until node0 accepts it."""

from __future__ import annotations

import asyncio
import logging

from agent.api.client import Client, Refused, Unreachable
from agent.api.hosts import HostRegister, HostRegistration
from agent.api.operations import REGISTER_HOST
from agent.inventory.host_id import read_host_id
from agent.inventory.hostname import is_own
from agent.machine import Machine
from agent.machine.backoff import LOCAL_SECONDS, delays
from agent.machine.kernel import BOOT_ID
from agent.model.host_documents import AgentPhase, ImageVersion
from agent.model.host_paths import LIVE_TOKEN_FILE, RELEASE_FILE
from agent.model.intent import ClusterIntent
from agent.status import StatusBoard

log = logging.getLogger(__name__)

# A wrong or expired token, or a cluster that takes no more hosts. 404 is none of them: hosts boot in any order, and the
# driver may not have registered the infra-env yet. Upstream's agent gives up after a refusal. Ours tries again, because
# the cause (a wrong clock, a busy cluster) may be corrected on node0.
REFUSALS = frozenset({401, 403, 409})
SECONDS_AFTER_REFUSAL = 30.0


async def register(
    machine: Machine, intent: ClusterIntent, board: StatusBoard, client: Client, agent_token: str
) -> HostRegistration:
    """Register this host with the agent's token; from then on `client` uses the host's own token."""
    host_id = await asyncio.to_thread(read_host_id, machine)
    version = (machine.files.load(RELEASE_FILE, ImageVersion) or ImageVersion()).version
    boot_id = machine.files.attribute(BOOT_ID)
    name = machine.kernel.hostname()
    body = HostRegister(
        host_id=host_id, discovery_agent_version=version, boot_id=boot_id, hostname=name if is_own(name) else ""
    )
    for delay in delays():
        client.use_token(agent_token)
        try:
            registration = await client.call(REGISTER_HOST, body, infra_env_id=intent.infra_env_id)
        except Unreachable as problem:
            board.update_unless_busy(AgentPhase.WAITING_FOR_NODE0, f"{problem.title}. {problem.remedy}")
        except Refused as problem:
            final = problem.status in REFUSALS
            board.update_unless_busy(AgentPhase.WAITING_FOR_NODE0, problem.title, [problem] if final else [])
            await machine.clock.sleep(SECONDS_AFTER_REFUSAL if final else 0)
        else:
            machine.files.write(LIVE_TOKEN_FILE, registration.token, mode=0o600)
            client.use_token(registration.token)
            board.update_unless_busy(AgentPhase.REGISTERED, f"as {registration.requested_hostname or host_id}")
            return registration
        await machine.clock.sleep(min(delay, LOCAL_SECONDS) if board.status.is_node0 else delay)
    raise AssertionError("delays() never ends")
