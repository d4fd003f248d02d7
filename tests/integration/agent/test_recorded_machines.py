"""Recorded machines register with the real service, and get the results that they got when recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from agent.api import operations
from agent.api.client import Client
from agent.api.clusters import Cidr
from agent.api.hosts import Host
from agent.api.infra_envs import InfraEnvCreate
from agent.api.operations import TokenRole
from agent.model.states import HostStatus
from agent.record.machine import MachineRecord
from replay.judge.basis import Basis
from replay.judge.judge import judge
from replay.programs import Service
from replay.recorded import machines
from replay.site import make_intent, make_site
from tests.fakes.agent.recorded_machines import ReplayedAgent
from tests.fakes.node0.programs import serving
from tests.fakes.node0.records import SPEC

pytestmark = pytest.mark.integration

# Each is the only host, has no peers, and its answers do not know this cluster's names.
NAMES = {f"{name}-domain-name-resolved-correctly" for name in ("api", "api-int", "apps")}

EXPECTED: dict[str, tuple[HostStatus, set[str]]] = {
    "bridged-vm": (HostStatus.KNOWN, set()),
    "edge-box": (HostStatus.KNOWN, {"ntp-synced"}),
    "rack-server": (HostStatus.KNOWN, {"boot-order-sane"}),
    "too-small": (
        HostStatus.INSUFFICIENT,
        {
            "container-images-available",
            "has-cpu-cores-for-role",
            "has-default-route",
            "has-memory-for-role",
            "has-min-memory",
            "has-min-valid-disks",
            "installation-disk",
            "swap-off",
        },
    ),
    "virtual-in-use": (HostStatus.INSUFFICIENT, {"has-min-valid-disks", "installation-disk", "ntp-synced"}),
}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(make_site(tmp_path)) as service:
        yield service


async def register_cluster(service: Service, user: Client) -> None:
    intent = service.site.intent
    networks = (Cidr(cidr="192.0.2.0/24"),)
    await user.call(
        operations.REGISTER_CLUSTER, msgspec.structs.replace(SPEC, id=intent.cluster_id, machine_networks=networks)
    )
    await user.call(operations.REGISTER_INFRA_ENV, InfraEnvCreate(id=intent.infra_env_id, name="demo"))


async def follow(agent: ReplayedAgent) -> None:
    """Answer until nothing is asked any more."""
    await agent.register()
    while steps := await agent.steps(wait=0):
        for step in steps:
            await agent.answer(step)


async def answered(service: Service, user: Client, record: MachineRecord) -> Host:
    """The host that the machine is, once it has answered all; it is removed again."""
    agent = ReplayedAgent(service, record)
    async with agent.client, asyncio.timeout(30):
        await follow(agent)
        host = await user.call(operations.GET_HOST, **agent.path)
        await user.call(operations.DEREGISTER_HOST, **agent.path)
    return host


async def test_each_recorded_machine_has_its_expected_validations(service: Service) -> None:
    async with service.client(TokenRole.USER) as user:
        await register_cluster(service, user)
        found = {}
        for name, record in machines().items():
            host = await answered(service, user, record)
            found[name] = (host.status, failing(host) - NAMES)
    assert found == EXPECTED


@pytest.mark.parametrize("name", machines())
async def test_the_replay_says_of_a_machine_what_the_service_says(service: Service, name: str) -> None:
    record = machines()[name]
    async with service.client(TokenRole.USER) as user:
        await register_cluster(service, user)
        host = await answered(service, user, record)
    networks = {"machine_networks": ("192.0.2.0/24",)}
    checks = judge(record, Basis(msgspec.structs.replace(make_intent(hosts=()), **networks))).checks
    said = {item["id"]: (item["status"], item["message"]) for item in verdicts(host)}
    assert len(checks) > 15
    assert {check.id: (check.status, check.message) for check in checks} == {
        check.id: said[check.id] for check in checks
    }


def verdicts(host: Host) -> list[dict[str, str]]:
    return [item for group in json.loads(host.validations_info).values() for item in group]


def failing(host: Host) -> set[str]:
    return {item["id"] for item in verdicts(host) if item["status"] in {"failure", "error"}}
