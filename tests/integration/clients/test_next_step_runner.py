"""An agent written from assisted-service's protocol alone, with plain aiohttp: register, instructions, reply.

It knows none of our types. The one thing it takes from our additions is the token that its registration gives it, and
it carries that as upstream's agent does, in X-Secret-Key.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
import pytest

from agent.api import resources as r
from agent.api import routes
from agent.api.client import pinned_tls
from agent.api.routes import TokenRole
from tests.fakes.agent import inventory
from tests.fakes.node0 import Service

pytestmark = pytest.mark.integration

BASE = "/api/assisted-install/v2"
IMAGE = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
STEP_ID = re.compile(r"[a-z-]+-[0-9a-f]{8}")

# The enumeration of the protocol: a status outside of it raises in typed clients.
HOST_STATUSES = frozenset(
    {
        *("discovering", "known", "disconnected", "insufficient", "disabled", "pending-for-input"),
        *("preparing-for-installation", "preparing-failed", "preparing-successful"),
        *("installing", "installing-in-progress", "installing-pending-user-action", "installed", "error", "cancelled"),
    }
)


@dataclass
class Runner:
    """`next_step_runner`: asks what to do, does it, answers. What it cannot do it says so about, exit code -1."""

    session: aiohttp.ClientSession
    infra_env_id: str
    host_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    done: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{BASE}/infra-envs/{self.infra_env_id}/hosts"

    async def register(self, secret: str) -> dict[str, Any]:
        body = {"host_id": self.host_id, "discovery_agent_version": IMAGE}
        async with self.session.post(self.path, json=body, headers={"X-Secret-Key": secret}) as response:
            assert response.status == 201
            reply: dict[str, Any] = await response.json()
        self.session.headers["X-Secret-Key"] = reply["token"]
        return reply

    async def cycle(self) -> dict[str, Any]:
        """One turn of its loop; gives the steps as they came."""
        query = {"timestamp": "1700000000"}
        async with self.session.get(f"{self.path}/{self.host_id}/instructions", params=query) as response:
            assert response.status == 200
            steps: dict[str, Any] = await response.json()
        for step in steps["instructions"] or []:
            await self.reply(step)
        return steps

    async def reply(self, step: dict[str, Any]) -> None:
        assert STEP_ID.fullmatch(step["step_id"])
        assert step["step_id"].startswith(step["step_type"])
        answer = {"step_type": step["step_type"], "step_id": step["step_id"], "exit_code": 0, "output": "", "error": ""}
        match step["step_type"]:
            case "inventory":
                (host_id,) = step["args"]
                assert uuid.UUID(host_id) == uuid.UUID(self.host_id)
                answer["output"] = msgspec.json.encode(inventory()).decode()
            case "ntp-synchronizer":
                (argument,) = step["args"]
                assert isinstance(json.loads(argument)["ntp_source"], str)
                sources = [{"source_name": "192.0.2.1", "source_state": "synced"}]
                answer["output"] = json.dumps({"ntp_sources": sources})
            case unknown:
                answer |= {"exit_code": -1, "error": f"Unexpected step type: {unknown}"}
        async with self.session.post(f"{self.path}/{self.host_id}/instructions", json=answer) as response:
            assert response.status == 204
            assert await response.read() == b""
        self.done.append(step["step_type"])


@pytest.fixture
async def runner(service: Service) -> AsyncIterator[Runner]:
    intent = service.site.intent
    async with service.client(TokenRole.USER) as user:
        await user.call(routes.REGISTER_CLUSTER, r.ClusterCreate(name="demo", openshift_version="v1"))
        await user.call(routes.REGISTER_INFRA_ENV, r.InfraEnvCreate(name="demo", cluster_id=intent.cluster_id))
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca))
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        yield Runner(session, intent.infra_env_id)


async def test_registering_gives_one_argument_that_is_json(service: Service, runner: Runner) -> None:
    reply = await runner.register(service.site.token(TokenRole.AGENT))
    (argument,) = reply["next_step_runner_command"]["args"]
    assert json.loads(argument) == {
        "infra_env_id": runner.infra_env_id,
        "host_id": runner.host_id,
        "agent_version": IMAGE,
    }
    assert reply["next_step_runner_command"]["retry_seconds"] > 0
    assert reply["id"] == runner.host_id


async def test_its_loop_makes_the_host_known(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    steps = await runner.cycle()
    assert (steps["next_instruction_seconds"], steps["post_step_action"]) == (60, "continue")
    await runner.cycle()
    assert runner.done[0] == "inventory"
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with runner.session.get(f"{runner.path}/{runner.host_id}", headers=headers) as response:
        host = await response.json()
    assert host["status"] in HOST_STATUSES
    assert {"kind", "id", "href", "status", "status_info", "requested_hostname", "infra_env_id"} <= host.keys()
    assert json.loads(host["inventory"])["interfaces"][0]["mac_address"]
    categories = json.loads(host["validations_info"])
    assert categories.keys() <= {"network", "hardware", "operators"}
    assert all(item.keys() >= {"id", "status", "message"} for items in categories.values() for item in items)


async def test_it_is_never_told_404_or_409_for_registering_again(service: Service, runner: Runner) -> None:
    """Upstream's agent stays silent for ever after either."""
    for _ in range(3):
        await runner.register(service.site.token(TokenRole.AGENT))
        await runner.cycle()


async def test_a_step_it_does_not_know_is_accepted(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    await runner.reply(
        {"step_type": "tang-connectivity-check", "step_id": "tang-connectivity-check-00000000", "args": []}
    )
    assert (await runner.cycle())["post_step_action"] == "continue"


async def test_progress_is_refused_before_the_install(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    body = {"current_stage": "Installing", "progress_info": ""}
    async with runner.session.put(f"{runner.path}/{runner.host_id}/progress", json=body) as response:
        error = await response.json()
        assert response.status == 409
    assert (error["kind"], error["code"], error["id"]) == ("Error", "409", 409)
