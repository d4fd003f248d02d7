"""The real keepalived on two hosts: the API's address is where an API server answers, and moves when it stops."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest

from agent.model.intent import Platform
from agent.vip import CONFIG_FILE, Place, render
from tests.fakes.inputs.intents import NETWORK, host, intent, mac
from tests.fakes.network.network_host import BOTH_ROOTS, LIVE_ROOT, NetworkHost, network_host

pytestmark = pytest.mark.integration

VIP = f"{NETWORK}.250"
CLUSTER = msgspec.structs.replace(intent(host(1), host(2)), platform=Platform.BAREMETAL, api_address=VIP)
API = ("python3", "-m", "http.server", "6443")
WAIT = """
import asyncio
from agent.machine import Machine

async def main():
    machine = Machine()
    async with asyncio.timeout(30):
        async for _ in machine.netlink.address_changes():
            if machine.kernel.has_address("{vip}"):
                return

asyncio.run(main())
"""


@contextmanager
def control_plane(machine: NetworkHost, number: int) -> Iterator[None]:
    """keepalived as the install configures it."""
    machine.at(CONFIG_FILE).parent.mkdir(parents=True, exist_ok=True)
    machine.at(CONFIG_FILE).write_text(render(CLUSTER, Place("eth0", address_of(number)), f"host{number}"))
    with machine.daemon("keepalived", "--dont-fork", "--log-console", log="/run/keepalived.log"):
        yield


def address_of(number: int) -> str:
    return f"{NETWORK}.{9 + number}"


def wait_for_vip(machine: NetworkHost) -> None:
    waited = machine.run(machine.python, "-c", WAIT.format(vip=VIP))
    assert waited.returncode == 0, waited.stderr + machine.at("/run/keepalived.log").read_text()


def wait_for_words(machine: NetworkHost, words: str, *, times: int = 1) -> None:
    """Until keepalived has said `words` so often; it announces no writes."""
    log, end = machine.at("/run/keepalived.log"), time.monotonic() + 60
    while log.read_text().count(words) < times:
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.2)


def has_vip(machine: NetworkHost) -> bool:
    return VIP in machine.run("ip", "-brief", "address", "show", "dev", "eth0").stdout


@BOTH_ROOTS
def test_the_vip_follows_the_api_server(root: Path) -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(network_host(root)) for _ in range(2))
        first.plug_cable_to(second, "eth0")
        for number, machine in enumerate((first, second), start=1):
            machine.run("ip", "address", "add", f"{address_of(number)}/24", "dev", "eth0")
            stack.enter_context(control_plane(machine, number))
        seconds_api = ExitStack()
        with first.daemon(*API, log="/run/api.log"):
            wait_for_vip(first)
            stack.enter_context(seconds_api)
            seconds_api.enter_context(second.daemon(*API, log="/run/api.log"))
            wait_for_words(second, "priority from 50 to 100")
            assert not has_vip(second)  # as well off as the first, which has it
        wait_for_vip(second)
        assert not has_vip(first)
        seconds_api.close()
        wait_for_words(second, "priority from 100 to 50", times=2)  # once before its API server was there
        assert has_vip(second)  # the other host is no better


@LIVE_ROOT  # Debian 12's keepalived stays BACKUP then
def test_the_vip_comes_when_the_nic_is_named_after_keepalived_started(root: Path) -> None:
    """As at the boot of an installed host whose udev is slow."""
    with network_host(root) as machine, control_plane(machine, 1), machine.daemon(*API, log="/run/api.log"):
        wait_for_words(machine, "Startup complete")
        machine.plug_nic("late", mac(1))
        for change in ("link set late name eth0", f"address add {address_of(1)}/24 dev eth0", "link set eth0 up"):
            assert machine.run("ip", *change.split()).returncode == 0
        wait_for_vip(machine)
