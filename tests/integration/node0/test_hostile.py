"""What no honest host would send: it is refused with a reason, the service goes on, and its memory is bounded."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from typing import Any

import aiohttp
import msgspec
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.api import operations
from agent.api.checks import (
    ConnectivityReport,
    DiskSpeedReply,
    DomainReply,
    FreeAddresses,
    ImagesReply,
    UserChecksReply,
    VipCheck,
)
from agent.api.client import Client, pinned_tls
from agent.api.operations import BASE, TokenRole
from agent.api.steps import NtpReply, StepReply, StepType
from agent.machine.clock import Clock
from agent.model.inventory import Disk, Interface, Inventory
from agent.model.problems import Problem
from node0.changes.step_reply import accept_reply
from node0.changes.step_results import PARSERS
from node0.reconcile.events import MAX_MESSAGE
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from replay.programs import Service
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.node0.records import HOST_ID, NOW, host
from tests.fakes.node0.records import site as records_of

GROWTH_MIB = 100


def reply(output: str) -> bytes:
    return msgspec.json.encode(StepReply(step_type="inventory", step_id="inventory-00000000", output=output))


def many_disks(number: int) -> str:
    disk = msgspec.to_builtins(Disk(id="d", name="d", path="/dev/d", model="m" * 50))
    return json.dumps({**msgspec.to_builtins(inventory()), "disks": [disk] * number})


def many_nics(number: int) -> str:
    """Each with an address of its own, all in one network: half a megabyte of JSON for 4,000."""
    nics = [
        msgspec.to_builtins(Interface(name=f"eth{n}", ipv4_addresses=(f"10.{n >> 8}.{n & 255}.1/8",)))
        for n in range(number)
    ]
    return json.dumps({**msgspec.to_builtins(inventory()), "interfaces": nics})


DEEP = "[" * 200_000
BODIES: dict[str, tuple[bytes, int]] = {
    "15,000 disks": (reply(many_disks(15_000)), 413),
    "4,000 NICs": (reply(many_nics(4000)), 400),
    "512 NICs in one network": (reply(many_nics(512)), 204),
    "hundreds of disks": (reply(many_disks(800)), 204),
    "a huge string": (reply(json.dumps({"hostname": "x" * (1024 * 1024)})), 413),
    "deep JSON": (DEEP.encode(), 400),
    "deep JSON in an unknown field": (b'{"unknown": ' + DEEP.encode() + b"}", 400),
    "deep JSON in the output": (reply(DEEP), 400),
    "wrong types": (reply('{"hostname": 7, "disks": {"a": 1}}'), 400),
    "an address that is none": (reply('{"interfaces": [{"name": "a", "ipv4_addresses": ["1.2.3"]}]}'), 400),
    "NUL and lone surrogates": (b'{"step_type": "inventory", "step_id": "a\\u0000\\ud800", "output": "\x00"}', 400),
    "no UTF-8": (b'{"step_type": "\xff\xfe"}', 400),
    "a number without end": (b'{"step_type": "a", "step_id": "b", "exit_code": ' + b"9" * 100_000 + b"}", 400),
    "NaN": (reply('{"cpu": {"frequency": NaN}}'), 400),
    "nothing": (b"", 400),
}


@pytest.mark.integration
async def test_hostile_replies_of_a_host_break_nothing(agent: Agent, service: Service) -> None:
    path = f"{BASE}/v2/infra-envs/{agent.path['infra_env_id']}/hosts/{agent.id}/instructions"
    process = psutil.Process(service.process.pid)
    before = process.memory_info().rss
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca))
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        for kind, (body, status) in BODIES.items():
            headers = {"X-Secret-Key": agent.token}
            async with session.post(path, data=io.BytesIO(body), headers=headers) as response:
                assert response.status == status, f"{kind}: {await response.text()}"
        async with session.get("/metrics") as response:
            assert "cluster0_changes_over_budget_total 0" in await response.text()
    await agent.steps()
    assert (process.memory_info().rss - before) / 2**20 < GROWTH_MIB


@pytest.mark.integration
async def test_long_texts_of_a_host_are_cut(agent: Agent, service: Service) -> None:
    """Every client may request events and stages, thousands at once."""
    (step,) = await agent.steps()
    await agent.reply(step, exit_code=1, error="command-failed: lshw\n" + "x" * 900_000)
    await agent.reply(step, msgspec.structs.replace(agent.inventory, hostname="y" * 255))
    async with service.client(TokenRole.USER) as user:
        events = await user.call(operations.LIST_EVENTS)
    assert any("command-failed: lshw" in event.message for event in events)
    assert any("yyyy" in event.message for event in events)
    assert max(len(event.message) for event in events) <= MAX_MESSAGE


@pytest.mark.integration
@pytest.mark.parametrize("unit", ["a_-", "a-", "eyJ", "-----BEGIN PRIVATE KEY-----", "secret: ", "data:\n a\n"])
async def test_texts_made_to_be_searched_slowly_delay_nothing(agent: Agent, unit: str) -> None:
    """The service looks for secrets in the texts of a failed step."""
    (step,) = await agent.steps()
    async with asyncio.timeout(10):
        await agent.reply(step, exit_code=1, error=unit * (700_000 // len(unit)))
        await agent.steps()


@pytest.mark.integration
async def test_slow_clients_do_not_delay_others(agent: Agent, service: Service, user: Client) -> None:
    """Half a request each, and streams whose client does not read: another request is answered at once."""
    token = f"Host: x\r\nAuthorization: {service.site.token(TokenRole.USER)}\r\n"
    half = f"PATCH {BASE}/v2/clusters/{service.site.intent.cluster_id} HTTP/1.1\r\n{token}Content-Length: 100\r\n\r\n{{"
    unread = f"GET {BASE}/v2/events/stream HTTP/1.1\r\n{token}\r\n"
    tls = pinned_tls(service.site.ca)
    writers = []
    for request in [half, unread] * 50:
        _, writer = await asyncio.open_connection("127.0.0.1", service.port, ssl=tls)
        writer.write(request.encode())
        writers.append(writer)
    async with asyncio.timeout(5):
        await user.call(operations.LIST_CLUSTERS)
    for writer in writers:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def settled_after(step_type: str, output: str, exit_code: int = 0) -> None:
    """The reply is refused as documented, or accepted, and then every rule copes with what it said."""
    timers = Timers(Clock())
    transaction = Transaction(records_of(host()), timers, NOW)
    answer = StepReply(step_type=step_type, step_id=step_type, output=output, exit_code=exit_code)
    try:
        accept_reply(transaction.records.hosts[HOST_ID], answer)(transaction)
    except Problem:
        return
    reconcile(transaction.records, timers, NOW)


TEXTS = st.text(max_size=30)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def spoiled(document: Any) -> st.SearchStrategy[Any]:
    """`document` with any of its parts replaced by something else."""
    parts: st.SearchStrategy[Any] = st.just(document)
    match document:
        case dict():
            parts = st.fixed_dictionaries({key: spoiled(value) for key, value in document.items()})
        case list():
            parts = st.tuples(*map(spoiled, document)).map(list) if document else st.just([])
        case _:
            pass
    return st.one_of(parts, parts, parts, parts, parts, JSON)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(spoiled(msgspec.to_builtins(inventory())))
def test_no_inventory_breaks_the_rules(document: Any) -> None:
    settled_after("inventory", json.dumps(document))


ANSWERS: dict[str, Any] = {
    StepType.INVENTORY: Inventory,
    StepType.NTP_SYNCHRONIZER: NtpReply,
    StepType.CONNECTIVITY_CHECK: ConnectivityReport,
    StepType.DOMAIN_RESOLUTION: DomainReply,
    StepType.FREE_NETWORK_ADDRESSES: tuple[FreeAddresses, ...],
    StepType.VERIFY_VIPS: tuple[VipCheck, ...],
    StepType.CONTAINER_IMAGE_AVAILABILITY: ImagesReply,
    StepType.INSTALLATION_DISK_SPEED_CHECK: DiskSpeedReply,
    StepType.USER_CHECKS: UserChecksReply,
}


def test_every_answer_that_is_read_is_tried() -> None:
    assert ANSWERS.keys() == PARSERS.keys()


@pytest.mark.parametrize("step_type", ANSWERS)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_answer_breaks_the_rules(step_type: str, data: st.DataObject) -> None:
    """Of the right shape with any content; then with any of its parts replaced."""
    answer = msgspec.to_builtins(data.draw(st.from_type(ANSWERS[step_type])))
    settled_after(step_type, json.dumps(answer))
    settled_after(step_type, json.dumps(data.draw(spoiled(answer))))


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([*StepType, "nonsense", ""]),
    TEXTS | JSON.map(json.dumps),
    st.integers(),
)
def test_no_reply_breaks_the_rules(step_type: str, output: str, exit_code: int) -> None:
    settled_after(step_type, output, exit_code)
    settled_after(step_type, output)
