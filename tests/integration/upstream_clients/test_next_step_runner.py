"""An agent that is not ours leads a host from its registration through its install, by the protocol alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from agent.api.client import pinned_tls
from agent.api.operations import TokenRole
from replay.programs import Service
from tests.fakes.agent.agent import inventory
from tests.fakes.agent.next_step_runner import BASE, IMAGE, Runner
from tests.fakes.node0.cluster import register_cluster

pytestmark = pytest.mark.integration


# The enumeration of the protocol: a status outside of it raises in typed clients.
HOST_STATUSES = frozenset(
    {
        *("discovering", "known", "disconnected", "insufficient", "disabled", "pending-for-input"),
        *("preparing-for-installation", "preparing-failed", "preparing-successful"),
        *("installing", "installing-in-progress", "installing-pending-user-action", "installed", "error", "cancelled"),
    }
)


STAGES = (
    *("Starting installation", "Installing", "Writing image to disk", "Copying registry data to disk"),
    *("Waiting for control plane", "Waiting for bootkube", "Waiting for controller", "Rebooting"),
    *("Configuring", "Joined", "Done"),
)


@pytest.fixture
async def runner(service: Service) -> AsyncIterator[Runner]:
    await register_cluster(service)
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca))
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        yield Runner(session, service.site.intent.infra_env_id)


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


async def test_the_runners_loop_makes_the_host_known(service: Service, runner: Runner) -> None:
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


async def test_a_runner_that_registers_again_never_gets_404_or_409(service: Service, runner: Runner) -> None:
    """assisted-installer-agent stops calling after either."""
    for _ in range(3):
        await runner.register(service.site.token(TokenRole.AGENT))
        await runner.cycle()


async def post(service: Service, runner: Runner, path: str, method: str = "POST", **options: Any) -> None:
    """What a user does meanwhile."""
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with runner.session.request(method, f"{BASE}{path}", headers=headers, **options) as response:
        assert response.status in {201, 202}, await response.text()


async def test_the_runners_loop_leads_through_an_install(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    await runner.cycle()
    host = f"/infra-envs/{runner.infra_env_id}/hosts/{runner.host_id}"
    networks = {"cluster_networks": [{"cidr": "10.244.0.0/16", "host_prefix": 24}]}
    networks |= {"service_networks": [{"cidr": "10.96.0.0/12"}]}
    cluster = f"/clusters/{service.site.intent.cluster_id}"
    await post(service, runner, cluster, "PATCH", json={"base_dns_domain": "example.test", **networks})
    await post(service, runner, host, "PATCH", json={"approved": True})
    await runner.cycle()
    await post(service, runner, f"{cluster}/actions/install")
    for _ in range(4):
        await runner.cycle()
    assert runner.done.index("installation-disk-speed-check") < runner.done.index("install")
    assert runner.install is not None
    assert (runner.install["role"], runner.install["control_plane_count"]) == ("bootstrap", 1)
    assert runner.install["boot_device"] == "/dev/disk/by-path/pci-0000:00:04.0"
    for stage in STAGES:
        assert await runner.progress(stage) == 200
        assert await runner.progress(stage) == 200, "the same again is no news"
    assert await runner.progress("Installing") == 409
    assert (await runner.cycle())["instructions"] == []


async def test_two_runners_see_each_other(service: Service, runner: Runner) -> None:
    machine = inventory(mac="52:54:00:00:00:02", address="127.0.0.2", hostname="node1")
    other = Runner(runner.session, runner.infra_env_id, machine)
    for each in (runner, other):
        await each.register(service.site.token(TokenRole.AGENT))
        await each.cycle()
        host = f"/infra-envs/{each.infra_env_id}/hosts/{each.host_id}"
        await post(service, runner, host, "PATCH", json={"approved": True})
    for each in (runner, other):
        await each.cycle()
        assert "connectivity-check" in each.done
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with runner.session.get(runner.path, headers=headers) as response:
        hosts = await response.json()
    assert [host["status"] for host in hosts] == ["known", "known"]
    assert [json.loads(host["connectivity"])["remote_hosts"][0]["host_id"] for host in hosts] == [
        other.host_id,
        runner.host_id,
    ]


async def test_a_step_that_the_runner_does_not_know_is_accepted(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    await runner.reply(
        {"step_type": "tang-connectivity-check", "step_id": "tang-connectivity-check-00000000", "args": []}
    )
    assert (await runner.cycle())["post_step_action"] == "continue"


async def test_progress_is_refused_before_the_install(service: Service, runner: Runner) -> None:
    await runner.register(service.site.token(TokenRole.AGENT))
    body, url = {"current_stage": "Installing", "progress_info": ""}, f"{runner.path}/{runner.host_id}/progress"
    async with runner.session.put(url, json=body, headers=runner.headers) as response:
        error = await response.json()
        assert response.status == 409
    assert (error["kind"], error["code"], error["id"]) == ("Error", "409", 409)
