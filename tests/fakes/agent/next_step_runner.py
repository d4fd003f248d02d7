"""assisted-service's agent, written from the protocol alone, with plain aiohttp: register, instructions, reply.

It knows none of our types. The one thing it takes from our additions is the token that its registration gives it, and
it carries that as upstream's agent does, in X-Secret-Key.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec

from agent.model.inventory import Inventory
from tests.fakes.agent.agent import inventory

BASE = "/api/assisted-install/v2"
IMAGE = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
STEP_ID = re.compile(r"[a-z-]+-[0-9a-f]{8}")


def _pair(peer: dict[str, Any]) -> dict[str, Any]:
    """The protocol's report on one peer."""
    seen = [(address, nic["mac"]) for nic in peer["nics"] for address in nic["ip_addresses"]]
    return {
        "host_id": peer["host_id"],
        "l2_connectivity": [
            {"outgoing_nic": "eth0", "remote_ip_address": address, "remote_mac": mac, "successful": True}
            for address, mac in seen
        ],
        "l3_connectivity": [
            {"outgoing_nic": "eth0", "remote_ip_address": address, "successful": True, "average_rtt_ms": 0.4}
            for address, _ in seen
        ],
        "mtu_report": [],
    }


# Step → its one JSON argument → its output.
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "connectivity-check": lambda peers: {"remote_hosts": [_pair(peer) for peer in peers]},
    "ntp-synchronizer": lambda asked: {
        "ntp_sources": [{"source_name": asked["ntp_source"] or "192.0.2.1", "source_state": "synced"}]
    },
    "domain-resolution": lambda asked: {
        "resolutions": [{"domain_name": domain["domain_name"]} for domain in asked["domains"]]
    },
    "container-image-availability": lambda asked: {"images": [{"name": name} for name in asked["images"]]},
    "installation-disk-speed-check": lambda asked: {"path": asked["path"], "io_sync_duration": 3},
}


@dataclass
class Runner:
    """`next_step_runner`: asks what to do, does it, answers. What it cannot do it says so about, exit code -1."""

    session: aiohttp.ClientSession
    infra_env_id: str
    machine: Inventory = field(default_factory=inventory)
    host_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    secret: str = ""
    install: dict[str, Any] | None = None
    done: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{BASE}/infra-envs/{self.infra_env_id}/hosts"

    async def register(self, secret: str) -> dict[str, Any]:
        body = {"host_id": self.host_id, "discovery_agent_version": IMAGE}
        async with self.session.post(self.path, json=body, headers={"X-Secret-Key": secret}) as response:
            assert response.status == 201
            reply: dict[str, Any] = await response.json()
        self.secret = reply["token"]
        return reply

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Secret-Key": self.secret}

    async def cycle(self) -> dict[str, Any]:
        """One turn of its loop; gives the steps as they came."""
        query, url = {"timestamp": str(int(time.time()))}, f"{self.path}/{self.host_id}/instructions"
        async with self.session.get(url, params=query, headers=self.headers) as response:
            assert response.status == 200
            steps: dict[str, Any] = await response.json()
        for step in steps["instructions"] or []:
            await self.reply(step)
        return steps

    async def reply(self, step: dict[str, Any]) -> None:
        assert STEP_ID.fullmatch(step["step_id"])
        assert step["step_id"].startswith(step["step_type"])
        answer = {"step_type": step["step_type"], "step_id": step["step_id"], "exit_code": 0, "output": "", "error": ""}
        if step["step_type"] == "inventory":
            (host_id,) = step["args"]
            assert uuid.UUID(host_id) == uuid.UUID(self.host_id)
            answer["output"] = msgspec.json.encode(self.machine).decode()
        elif step["step_type"] in ANSWERS:
            argument, *rest = step["args"]
            assert rest == (["480.00"] if step["step_type"] == "installation-disk-speed-check" else [])
            answer["output"] = json.dumps(ANSWERS[step["step_type"]](json.loads(argument)))
        elif step["step_type"] == "install":
            (argument,) = step["args"]
            self.install = json.loads(argument)
        else:
            answer |= {"exit_code": -1, "error": f"Unexpected step type: {step['step_type']}"}
        url = f"{self.path}/{self.host_id}/instructions"
        async with self.session.post(url, json=answer, headers=self.headers) as response:
            assert response.status == 204
            assert await response.read() == b""
        self.done.append(step["step_type"])

    async def progress(self, stage: str, info: str = "") -> int:
        """The status that PUT progress is answered with."""
        body, url = {"current_stage": stage, "progress_info": info}, f"{self.path}/{self.host_id}/progress"
        async with self.session.put(url, json=body, headers=self.headers) as response:
            return response.status
