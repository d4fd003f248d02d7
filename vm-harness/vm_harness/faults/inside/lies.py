"""A host that lies: it registers with the identity of this host, and answers each step of node0 wrongly.

Runs on a host of a lab in place of its agent, until it is stopped. Its log has what node0 refuses.
"""

import asyncio
import contextlib
import itertools
import json
import logging

from agent.api.client import Client, Refused, Unreachable, pinned_tls, service_url
from agent.api.hosts import HostRegister
from agent.api.operations import GET_INSTRUCTIONS, POST_STEP_REPLY, REGISTER_HOST, UPDATE_PROGRESS
from agent.api.steps import Progress, Step, StepReply
from agent.inventory.host_id import read_host_id
from agent.machine import Machine
from agent.machine.kernel import BOOT_ID
from agent.model.host_paths import AGENT_TOKEN_FILE, CA_FILE, INTENT_FILE
from agent.model.intent import ClusterIntent
from agent.model.states import Stage

log = logging.getLogger("lies")

DISK = {"name": "sdz", "path": "/dev/sdz", "by_path": "", "size_bytes": 1 << 62, "drive_type": "Fluff"}
LIES = (
    "",
    "not json",
    "null",
    "[]",
    json.dumps({"hostname": "../../etc", "disks": [DISK] * 2000, "interfaces": [{"mac_address": "zz"}]}),
    json.dumps({"memory": {"physical_bytes": -1, "usable_bytes": 1e400}, "cpu": {"count": 10**30}}),
    json.dumps({"remote_hosts": [{"host_id": "who", "l3_connectivity": None}] * 500}),
    "x" * (1 << 20),
    "\x00\x1b[2J" * 1000,
)
PAUSE_SECONDS = 0.2
STAGES = (Stage.DONE, Stage.REBOOTING, Stage.FAILED, Stage.JOINED)


class Liar:
    """Calls node0's service as this host's agent would."""

    def __init__(self, client: Client, infra_env_id: str, host_id: str) -> None:
        self._client = client
        self._infra_env = infra_env_id
        self._host = host_id
        self._lies = itertools.cycle(LIES)
        self._stages = itertools.cycle(STAGES)

    async def answer_all(self) -> None:
        """Answer each step that node0 has for this host now, and report a stage that is not reached."""
        try:
            steps = await self._client.call(
                GET_INSTRUCTIONS, query={"wait": 2}, timeout=30, infra_env_id=self._infra_env, host_id=self._host
            )
            for step in steps.instructions:
                await self._answer(step)
            progress = Progress(current_stage=next(self._stages), progress_info="%n" * 50)
            await self._client.call(UPDATE_PROGRESS, progress, infra_env_id=self._infra_env, host_id=self._host)
        except (Refused, Unreachable) as problem:
            log.warning("%s", problem)

    async def _answer(self, step: Step) -> None:
        for reply in (
            StepReply(step_type=step.step_type, step_id=step.step_id, output=next(self._lies)),
            StepReply(step_type=step.step_type, step_id="inventory-00000000", output=next(self._lies)),
            StepReply(step_type="inventory", step_id=step.step_id, output=next(self._lies)),
            StepReply(step_type=step.step_type, step_id=step.step_id, exit_code=255, error="y" * 100_000),
        ):
            with contextlib.suppress(Refused, Unreachable):
                await self._client.call(POST_STEP_REPLY, reply, infra_env_id=self._infra_env, host_id=self._host)


async def main() -> None:
    machine = Machine()
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    assert intent is not None
    tls = pinned_tls(machine.files.at(CA_FILE))
    token = machine.files.read(AGENT_TOKEN_FILE).strip()
    body = HostRegister(host_id=read_host_id(machine), boot_id=machine.files.attribute(BOOT_ID))
    async with Client(url=service_url(intent.rendezvous_ip), tls=tls, token=token) as client:
        host = await client.call(REGISTER_HOST, body, infra_env_id=intent.infra_env_id)
        client.use_token(host.token)
        liar = Liar(client, intent.infra_env_id, host.id)
        while True:
            await liar.answer_all()
            await asyncio.sleep(PAUSE_SECONDS)


asyncio.run(main())
